#!/usr/bin/env python3
"""kelvin beside JAX and PyTorch, in turns, in one run:

    make bench-peers                                              # brings the newest of both, of PyPI
    bench/speed_peers.py --bench build/bench/kelvin-bench --python build/venv-peers/bin/python

What runs: a step of SGHMC and a forward pass of resnet20 and cnn (jax_networks.py, torch_networks.py), leapfrog steps
of figure 1's posterior (jax_toy.py, torch_toy.py), SGHMC on tables (jax_mlp.py, torch_mlp.py). Each round runs kelvin,
then each peer, each in a process of its own that is bound to as many cores as it has threads. The best of all rounds
counts, and the median of rounds is printed beside it; first calls (compilation) are apart. Peers get large pages for
their heap, which makes both of them up to a fifth faster. Prints rows of Markdown, what kelvin loses on top; --json
FILE has all. A peer that is not installed is skipped, with a sentence.
"""
import argparse
import csv
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

from races import BATCH, CLASSES, TABLE_CHAINS, TABLES, TOY_CHAINS, table_race, toy_race
from table import markdown

HERE = pathlib.Path(__file__).resolve().parent
HEAP = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1", "MALLOC_MMAP_THRESHOLD_": str(2**33),
        "MALLOC_TRIM_THRESHOLD_": str(2**33)}  # fmt: skip
FOLDERS = {"JAX_COMPILATION_CACHE_DIR": "jax", "TORCHINDUCTOR_CACHE_DIR": "inductor"}  # later rounds compile nothing
PEERS = ("jax", "torch")

# ---- kelvin: race -> program, keys of its JSON of which the first that is there counts, and what they are ----


def rate(value):
    return 1 / value


def micro(value):
    return value / 1e6


KELVIN = {f"{network} {what}": (network, [prefix + "images_per_s"], rate)
          for network in ("resnet20", "cnn") for what, prefix in (("step", ""), ("forward", "forward_"))}
# Several chains on one core: where kelvin-bench has no number of its own, chains one after the other.
# A whole leapfrog step is taken, as JAX has it; PyTorch has the gradient alone.
KELVIN.update((toy_race(c),
               ("leapfrog", [f"us_per_leapfrog_step_{min(c, 16)}_chains", "us_per_leapfrog_step"], micro))
              for c in TOY_CHAINS)  # fmt: skip
# Tables are `kelvin sample` itself: Kelvin.tables.

# Group -> what a peer's program is called and gets, and for how many threads.
GROUPS = {
    "resnet20": ("networks", ["resnet20"], (1, 2)),
    "cnn": ("networks", ["cnn"], (1,)),
    "toy": ("toy", [], (1, 2)),
    "mlp": ("mlp", [], (1,)),
}


UNDER = []  # what each program runs under: --under


def cores(n):
    return sorted(os.sched_getaffinity(0))[:n]


def run(command, bound, environment=None, copies=1):
    """What the copies of a program that run at once print, the i-th of them bound to the cores bound[i]."""
    works = [subprocess.Popen([*UNDER, *map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env={**os.environ, **(environment or {})},
                              preexec_fn=lambda bound=bound[i]: os.sched_setaffinity(0, bound)) for i in range(copies)]
    texts = [work.communicate() for work in works]
    for work, (_, errors) in zip(works, texts):
        if work.returncode:
            raise RuntimeError(f"{' '.join(map(str, command))}: {(errors.strip().splitlines() or ['failed'])[-1]}")
    return [text for text, _ in texts]


def run_one(command, threads, environment=None):
    return run(command, [cores(threads)], environment)[0]


def run_on_each(command, threads, environment=None):
    """A process per core, all at once."""
    return run(command, [[core] for core in cores(threads)], environment, threads)


def together(seconds):
    """Per unit, where several work at once."""
    return 1 / sum(1 / s for s in seconds)


# ---- kelvin ----


STEPS = (10000, 60000)  # of a short run and a long one, all chains together
TIMED = """
import json, subprocess, sys, time
place, epochs, *command = sys.argv[1:]
best = {}
for turn in range(3):
    for n in epochs.split(","):
        start = time.perf_counter()
        subprocess.run(command + ["--epochs", n, "-o", f"{place}/{n}-{turn}"], stdout=subprocess.DEVNULL, check=True)
        best[n] = min(best.get(n, 1e9), time.perf_counter() - start)
print(json.dumps(list(best.values())))
"""


class Kelvin:
    def __init__(self, bench, work):
        self.bench, self.kelvin, self.work = bench, bench.parent.parent / "kelvin", work
        found = json.loads(run_one([bench, "leapfrog", "--quick", "--json"], 1))
        self.about = {key: found[key] for key in ("kelvin", "cpu", "isa")}

    def measure(self, group, threads):
        """Seconds per unit of each race of a group."""
        if group == "mlp":
            return self.tables(threads)
        if group == "toy":  # a chain is on one core
            return self.read("leapfrog", run_on_each([self.bench, "leapfrog", "--quick", "--json"], threads))
        return self.read(group, [run_one([self.bench, group, "--threads", threads, "--json"], threads)])

    def read(self, name, texts):
        found = [json.loads(text) for text in texts]
        seconds = {}
        for race, (program, keys, convert) in KELVIN.items():
            key = next((key for key in keys if key in found[0]), None)
            if program == name and key:
                seconds[race] = together(convert(each[key]) for each in found)
        return seconds

    def tables(self, threads):
        """kelvin sample, with all that it does beside steps."""
        found = {}
        for rows, columns in TABLES:
            self.write(rows, columns)
            for chains in TABLE_CHAINS:
                epochs = [steps * BATCH // rows // chains for steps in STEPS]
                took = self.sample(rows, chains, epochs, threads)
                steps = (epochs[1] - epochs[0]) * (rows // BATCH) * chains
                found[table_race(rows, columns, chains)] = (took[1] - took[0]) / steps
        return found

    def write(self, rows, columns):
        normal = random.Random(1).gauss
        with open(self.work / f"{rows}.csv", "w", newline="") as file:
            write = csv.writer(file).writerow
            write([f"x{i}" for i in range(columns)] + ["label"])
            for i in range(rows):
                write([f"{normal(0, 1):.4f}" for _ in range(columns)] + [f"c{i % CLASSES}"])

    def sample(self, rows, chains, epochs, threads):
        """Seconds of runs of so many epochs."""
        place = tempfile.mkdtemp(dir=self.work)
        return json.loads(run_one([
            sys.executable, "-c", TIMED, place, ",".join(map(str, epochs)), self.kelvin, "sample", "--preset", "paper",
            "--data", f"csv:{self.work}/{rows}.csv,split=0", "--model", "mlp:20", "--density", "categorical",
            "--prior", "normal:1", "--lr", "1e-3", "--batch", BATCH, "--schedule", "constant", "--chains", chains,
            "--samples", 2 * chains, "--threads", threads,
        ], threads))  # fmt: skip


# ---- peers ----


class Peer:
    def __init__(self, python, package, work):
        self.python, self.package, self.work = python, package, work
        self.name = None

    def installed(self):
        try:
            run_one([self.python, "-c", f"import {self.package}"], 1)
            return True
        except (OSError, RuntimeError):
            return False

    def measure(self, group, threads, limit):
        """The races of a group. Chains need not know of each other: on several cores also a process on each."""
        races = self.read(run_one(self.command(group, threads, limit), threads, self.environment(threads)))
        if group == "toy" and threads > 1:
            copies = map(self.read, run_on_each(self.command(group, 1, limit), threads, self.environment(1)))
            for race, found in self.joined(list(copies)).items():
                races[race]["ways"].update(found)
        return races

    def command(self, group, threads, limit):
        program, arguments, _ = GROUPS[group]
        file = HERE / f"{self.package}_{program}.py"
        return [self.python, "-W", "ignore", "-B", file, *arguments, threads, limit]

    def environment(self, threads):
        return {**HEAP, **{key: str(self.work / f"{name}-{threads}") for key, name in FOLDERS.items()}}

    def read(self, text):
        found = json.loads(text)
        self.name = f"{found['peer']} {found['version'].split('+')[0]}"
        return found["races"]

    def joined(self, copies):
        """Ways of processes that ran at once, as ways of them together."""
        return {race: {f"{way}, a process per core": {
            "best": together(copy[race]["ways"][way]["best"] for copy in copies),
            "median": together(copy[race]["ways"][way]["median"] for copy in copies),
            "first_call_seconds": max(copy[race]["ways"][way]["first_call_seconds"] for copy in copies),
        } for way in found["ways"] if all(way in copy[race]["ways"] for copy in copies)}
            for race, found in copies[0].items()}  # fmt: skip


# ---- all ----


class Results:
    """Of each race and number of threads: kelvin's seconds per unit, and those of each peer's ways, round by round."""

    def __init__(self):
        self.ours, self.theirs, self.failed = {}, {}, {}

    def add_ours(self, threads, found):
        for race, seconds in found.items():
            self.ours.setdefault((race, threads), []).append(seconds)

    def add_theirs(self, name, threads, races):
        for race, found in races.items():
            for way, times in found["ways"].items():
                self.theirs.setdefault((race, threads), {}).setdefault((name, way), []).append(times)
            if found["cores"] > threads + 0.1:
                self.failed[f"{name}: {race}"] = f"took {found['cores']} cores, not {threads}"
            for way, reason in found["failed"].items():
                self.failed[f"{name}: {race}: {way}"] = reason

    def rows(self):
        """The best way of each peer in each race, kelvin's losses first."""
        found = []
        for (race, threads), ways in self.theirs.items():
            ours = self.ours.get((race, threads))
            alone = threads > 1 and race.endswith("1 chain")  # a chain is on one core
            for name in sorted({name for name, _ in ways}) if ours and not alone else ():
                mine = {way: rounds for (peer, way), rounds in ways.items() if peer == name}
                found.append(self.row(race, threads, name, mine, ours))
        return sorted(found, key=lambda row: row["ratio"])

    def row(self, race, threads, name, ways, ours):
        best = {way: min(r["best"] for r in rounds) for way, rounds in ways.items()}
        way = min(best, key=best.get)
        return {
            "race": race, "threads": threads, "peer": name, "way": way, "kelvin": min(ours), "theirs": best[way],
            "ratio": best[way] / min(ours),
            "ratio_of_medians": statistics.median(r["best"] for r in ways[way]) / statistics.median(ours),
            "first_call_seconds": max(r["first_call_seconds"] for r in ways[way]),
            "ways": {title: {"seconds": best[title], "first_call_seconds": max(r["first_call_seconds"] for r in rounds)}
                     for title, rounds in ways.items()},
        }  # fmt: skip


def shown(race, seconds):
    """As people say it."""
    return f"{1 / seconds:,.0f} images/s" if race.startswith(("resnet20", "cnn")) else f"{1e6 * seconds:.2f} us"


def cells(row):
    race, threads = row["race"], row["threads"]
    return [f"{race}, {threads} core{'s' if threads > 1 else ''}", shown(race, row["kelvin"]),
            f"{row['peer']}: {row['way']}", shown(race, row["theirs"]), f"{row['ratio']:.2f} x",
            f"{row['ratio_of_medians']:.2f} x", f"{row['first_call_seconds']:.1f} s"]  # fmt: skip


def verdict(rows):
    lost = [row for row in rows if row["ratio"] < 1]
    if not lost:
        return f"kelvin is ahead in all {len(rows)} rows; the least is {rows[0]['ratio']:.2f} x."
    return f"kelvin is behind in {len(lost)} of {len(rows)} rows, which come first: " + "; ".join(
        f"{row['race']} ({row['peer']}, {1 / row['ratio']:.2f} x as fast)" for row in lost
    ) + "."


def report(results, about, rounds):
    rows = results.rows()
    if not rows:
        return ["Nothing to compare: no peer ran."]
    head = ["what", "kelvin", "peer, its best way", "", "ratio", "of medians", "first call"]
    machine = f"{about['cpu']}, {about['isa']}, kelvin {about['kelvin']}; best of {rounds} round{'s'[:rounds - 1]}"
    failed = [f"{what}: {reason}" for what, reason in results.failed.items()]
    return [verdict(rows), "", machine, "", *markdown(head, map(cells, rows)), "", *failed]


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--bench", type=pathlib.Path, required=True, help="kelvin-bench; kelvin is in the folder above it")
    add("--python", action="append", default=[], help="an interpreter that has jax or torch; may be given again")
    add("--rounds", type=int, default=3, help="[%(default)s]")
    add("--seconds", type=float, default=3, help="for each race of a peer [%(default)s]")
    add("--groups", default=",".join(GROUPS), help="with commas between [%(default)s]")
    add("--threads", default="1,2", help="with commas between [%(default)s]")
    add("--under", default="", help="a command that each program runs under, such as: nice -n -5")
    add("--json", type=pathlib.Path, help="file for all results")
    asked = parser.parse_args()
    asked.groups = asked.groups.split(",")
    if unknown := set(asked.groups) - set(GROUPS):
        parser.error(f"--groups: {', '.join(sorted(unknown))}: not one of {', '.join(GROUPS)}")
    if not asked.bench.exists():
        parser.error(f"--bench: there is no {asked.bench}")
    asked.bench, asked.threads = asked.bench.resolve(), [int(n) for n in asked.threads.split(",")]
    return asked


def find_peers(pythons, work):
    found = []
    for package in PEERS:
        peers = [Peer(python, package, work) for python in pythons or [sys.executable]]
        there = [peer for peer in peers if peer.installed()]
        if not there:
            print(f"{package} is left out: no Python here has it; make bench-peers brings it", file=sys.stderr)
        found += there
    return found


def race_all(asked, work):
    kelvin, peers, results = Kelvin(asked.bench, work), find_peers(asked.python, work), Results()
    for turn in range(asked.rounds if peers else 0):
        for group in asked.groups:
            for threads in (n for n in GROUPS[group][2] if n in asked.threads and n <= len(os.sched_getaffinity(0))):
                title = f"round {turn + 1} of {asked.rounds}: {group}, {threads} thread{'s' if threads > 1 else ''}"
                print(f"{title}: kelvin", file=sys.stderr)
                results.add_ours(threads, kelvin.measure(group, threads))
                for peer in peers:
                    print(f"{title}: {peer.package}, {peer.python}", file=sys.stderr)
                    try:
                        races = peer.measure(group, threads, asked.seconds)
                    except (RuntimeError, ValueError) as error:  # the others go on
                        results.failed[f"{peer.package}, {group}"] = str(error)
                        continue
                    results.add_theirs(peer.name, threads, races)
    return kelvin.about, results


def main():
    asked = options()
    UNDER.extend(asked.under.split())
    with tempfile.TemporaryDirectory() as work:
        about, results = race_all(asked, pathlib.Path(work))
    print("\n".join(report(results, about, asked.rounds)))
    if asked.json:
        asked.json.parent.mkdir(parents=True, exist_ok=True)
        asked.json.write_text(json.dumps({**about, "rows": results.rows(), "failed": results.failed}, indent=1) + "\n")


if __name__ == "__main__":
    main()
