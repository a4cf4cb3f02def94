"""Rows of all tables, verdicts and counts, as Markdown. A row has means over splits."""

import pathlib
import statistics
import sys
import textwrap

import pandas as pd
from peers import PEERS

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from table import markdown as lines

NEAR = 0.02  # nats that NLL may be above the best peer's
FINE = 0.05  # a calibration error that is good enough
HEADING = "## All rows\n"
MARKS = {True: "yes", False: "**no**"}


class Row:
    """What was measured of a table: means over the splits for which every method has been computed."""

    def __init__(self, table, splits, ours, theirs, folder):
        self.table = table
        frame = pd.read_csv(folder / table.name / "split-0" / "train.csv")
        self.size = f"{len(frame)} x {frame.shape[1] - 1}"
        self.classes = frame.iloc[:, -1].nunique()
        whole = [
            split
            for split in splits
            if ours.get(table.name, split, "kelvin") and all(theirs.get(table.name, split, name) for name in PEERS)
        ]
        self.complete = len(whole) > 0
        if not self.complete:
            return
        found = [ours.get(table.name, split, "kelvin") for split in whole]
        peers = {name: [theirs.get(table.name, split, name) for split in whole] for name in PEERS}
        self.refused = next((f["refused"] for f in found if "refused" in f), None)
        self.peers = {name: mean(scores) for name, scores in peers.items()}
        self.best = min(self.peers, key=lambda name: self.peers[name]["nll"])
        if self.refused:
            self.verdicts = dict.fromkeys(("nll", "ece", "cpu"), False)
            self.alone = [False] * len(found)
            return
        self.kelvin = mean(found)
        bag = self.peers["bag"]
        self.behind = self.kelvin["nll"] - self.peers[self.best]["nll"]
        bests = [min(scores["nll"] for scores in of_split) for of_split in zip(*peers.values())]
        self.alone = [f["nll"] - best <= NEAR for f, best in zip(found, bests)]
        self.verdicts = {
            "nll": self.behind <= NEAR,
            "ece": self.kelvin["ece"] <= max(bag["ece"], FINE),
            "cpu": self.kelvin["cpu"] <= bag["cpu"],
        }


def mean(scores):
    return {key: statistics.mean(s[key] for s in scores) for key in ("nll", "accuracy", "ece", "cpu")}


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


def count_cells(title, rows):
    counts = [f"{sum(row.verdicts[key] for row in rows)} of {len(rows)}" for key in ("nll", "ece", "cpu")]
    alone = f"{sum(sum(row.alone) for row in rows)} of {sum(len(row.alone) for row in rows)}"
    return [title, *counts, alone]


def markdown(rows):
    done = [row for row in rows if row.complete]
    groups = {"all": done, **{g: [row for row in done if row.table.group == g] for g in ("tried", "fresh", "unseen")}}
    out = [
        *lines(
            ["tables", f"NLL behind by {NEAR} at most", "ECE fine", "CPU less", "NLL, each split alone"],
            [count_cells(title, some) for title, some in groups.items() if some],
        ),
        "\nMean NLL of the test rows; \\*: the best peer.\n",
        *lines(
            ["table", "rows", "cl.", "logistic", "forest", "MLP", "8 MLPs", "kelvin", "behind", "near"],
            map(nll_cells, done),
        ),
        "\nAccuracy and calibration error in %, seconds of CPU time.\n",
        *lines(
            ["table", "acc.", "best", "ECE", "8 MLPs", "fine", "CPU", "8 MLPs", "less"],
            map(other_cells, done),
        ),
    ]
    out += ["\nWhat they are:\n", "| table | group | splits | |", "|---|---|--:|---|"]
    out += [f"| {row.table.name} | {row.table.group} | {len(row.alone)} | {row.table.about} |" for row in done]
    notes = [f"{row.table.name} was refused: {row.refused}" for row in done if row.refused]
    missing = [row.table.name for row in rows if not row.complete]
    if missing:
        notes.append(f"not computed: {', '.join(missing)}")
    if notes:
        out += ["", *(textwrap.fill("- " + note, 100, subsequent_indent="  ") for note in notes)]
    return "\n".join(out) + "\n"


def put(page, text):
    """The rows at the end of a page, under their heading; what stands before it stays."""
    before = page.read_text().split(HEADING)[0] if page.exists() else ""
    page.write_text(before + HEADING + text)
