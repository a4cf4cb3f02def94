"""Rows of all tables, verdicts and counts, as Markdown. A row has means over splits."""

import statistics

import pandas as pd
from peers import PEERS

NEAR = 0.02  # nats that NLL may be above the best peer's
FINE = 0.05  # a calibration error that is good enough
MARKS = {True: "yes", False: "**no**"}


class Row:
    """What was measured of a table, where all of it was."""

    def __init__(self, table, splits, ours, theirs, folder):
        self.table = table
        frame = pd.read_csv(folder / table.name / "split-0" / "train.csv")
        self.size = f"{len(frame)} x {frame.shape[1] - 1}"
        self.classes = frame.iloc[:, -1].nunique()
        found = [ours.get(table.name, split, "kelvin") for split in splits]
        peers = {name: [theirs.get(table.name, split, name) for split in splits] for name in PEERS}
        self.complete = all(found) and all(all(p) for p in peers.values())
        if not self.complete:
            return
        self.refused = next((f["refused"] for f in found if "refused" in f), None)
        self.peers = {name: mean(scores) for name, scores in peers.items()}
        self.best = min(self.peers, key=lambda name: self.peers[name]["nll"])
        if self.refused:
            self.verdicts = dict.fromkeys(("nll", "ece", "cpu"), False)
            return
        self.kelvin = mean(found)
        bag = self.peers["bag"]
        self.behind = self.kelvin["nll"] - self.peers[self.best]["nll"]
        self.verdicts = {
            "nll": self.behind <= NEAR,
            "ece": self.kelvin["ece"] <= max(bag["ece"], FINE),
            "cpu": self.kelvin["cpu"] <= bag["cpu"],
        }


def mean(scores):
    return {key: statistics.mean(s[key] for s in scores) for key in ("nll", "accuracy", "ece", "cpu")}


def lines(head, rows):
    """A table of Markdown; the first column is text, the others are numbers."""
    return [
        "| " + " | ".join(head) + " |",
        "|---|" + "--:|" * (len(head) - 1),
        *("| " + " | ".join(cells) + " |" for cells in rows),
    ]


def nll_cells(row):
    peers = [f"{row.peers[name]['nll']:.3f}" for name in PEERS]
    peers[list(PEERS).index(row.best)] += "\\*"
    ours = ["refused", ""] if row.refused else [f"{row.kelvin['nll']:.3f}", f"{row.behind:+.3f}"]
    return [row.table.name, row.size, str(row.classes), *peers, *ours, MARKS[row.verdicts["nll"]]]


def other_cells(row):
    if row.refused:
        return [row.table.name, *[""] * 8]
    k, bag = row.kelvin, row.peers["bag"]
    best = max(p["accuracy"] for p in row.peers.values())
    return [
        row.table.name,
        *(f"{100 * a:.1f}" for a in (k["accuracy"], best, k["ece"], bag["ece"])),
        MARKS[row.verdicts["ece"]],
        *(f"{c:.1f}" for c in (k["cpu"], bag["cpu"])),
        MARKS[row.verdicts["cpu"]],
    ]


def count(rows, key):
    return f"{sum(row.verdicts[key] for row in rows)} of {len(rows)}"


def markdown(rows):
    done = [row for row in rows if row.complete]
    out = ["Mean NLL of the test rows; \\*: the best peer.", ""]
    out += lines(
        ["table", "rows", "cl.", "logistic", "forest", "MLP", "8 MLPs", "kelvin", "behind", "near"],
        map(nll_cells, done),
    )
    out += ["", "Accuracy and calibration error in %, seconds of CPU time.", ""]
    out += lines(["table", "acc.", "best", "ECE", "8 MLPs", "fine", "CPU", "8 MLPs", "less"], map(other_cells, done))
    out += [""]
    for title, some in (
        ("all tables", done),
        *((f"tables of the group {g}", [r for r in done if r.table.group == g]) for g in ("tried", "fresh")),
    ):
        if some:
            out += [
                f"- {title}: NLL within {NEAR} of the best or better: {count(some, 'nll')}; calibration error",
                f"  at most that of 8 MLPs or {100 * FINE:g} %: {count(some, 'ece')}; CPU time at most that of 8 MLPs:"
                f" {count(some, 'cpu')}",
            ]
    out += [f"- {row.table.name} was refused: {row.refused}" for row in done if row.refused]
    missing = [row.table.name for row in rows if not row.complete]
    if missing:
        out += [f"- not computed: {', '.join(missing)}"]
    return "\n".join(out) + "\n"
