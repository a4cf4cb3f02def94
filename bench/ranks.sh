#!/bin/sh
# Several ranks beside one process, and what their messages cost:
#
#     bench/ranks.sh build/kelvin build/bench/kelvin-bench
#
# Chains: the same run by one process on one thread, and by 2 ranks (4 where there are as many cores) with one thread
# each; its seconds are those from the first step of a chain to the last, by times.csv. Batches: steps of one chain that
# ranks share. All run in turns, and the best of each counts.
set -eu

rounds=${ROUNDS-3}
kelvin=${1:?expected: bench/ranks.sh build/kelvin build/bench/kelvin-bench}
bench=${2:?expected: bench/ranks.sh build/kelvin build/bench/kelvin-bench}
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v mpirun >/dev/null || { echo "several ranks are left out: there is no mpirun (apt-get install openmpi-bin)"; exit 0; }
root=
[ "$(id -u)" != 0 ] || root=--allow-run-as-root
counts="2 4" # more ranks than cores share these
sample="sample --preset paper --data digits --model mlp:100,100 --epochs 1000 --chains 8 --threads 1"

for round in $(seq "$rounds"); do
    echo "round $round of $rounds" >&2
    start=$(date +%s.%N)
    mpirun $root --oversubscribe --bind-to none -n 2 "$kelvin" info >/dev/null
    echo "$start $(date +%s.%N)" | awk '{ printf "{\"seconds\": %.3f}\n", $2 - $1 }' >"$work/start-$round.json"
    rm -rf "$work/run"
    "$kelvin" $sample --json -o "$work/run" >"$work/chains-1-$round.json" 2>/dev/null
    "$bench" resnet20 --threads 1 --quick --json >"$work/step-1-$round.json"
    for n in $counts; do
        rm -rf "$work/run"
        mpirun $root --oversubscribe --bind-to none -n $n "$kelvin" $sample --json -o "$work/run" \
            >"$work/chains-$n-$round.json" 2>/dev/null
        mpirun $root --oversubscribe --bind-to none -n $n "$bench" resnet20 --threads 1 --json >"$work/step-$n-$round.json"
    done
done

PYTHONPATH=$here /usr/bin/python3 -B - "$work" <<'PYTHON'
import os
import sys

from table import at_least, best, head, results, row

COUNTS = (2, 4)
chains = {n: results(sys.argv[1], f"chains-{n}") for n in (1, *COUNTS)}
step = {n: results(sys.argv[1], f"step-{n}") for n in (1, *COUNTS)}
cores = len(os.sched_getaffinity(0))
head(f"{step[1][0]['cpu']}, {cores} cores", step[1])
alone, start = best(chains[1], "seconds"), best(results(sys.argv[1], "start"), "seconds")


def beside_model(seconds, model, unit):
    """The model of docs/cluster.md: compute, shared by the cores that there are, and messages."""
    off = model / seconds - 1
    row("    the model", f"{model:.2f}", unit, "+- 15 %", abs(off) <= 0.15)


def crowded(n):
    return max(1, n / cores)


row("8 chains of mlp:100,100, one process, one thread", f"{alone:.2f}", "s")
for n in COUNTS:
    seconds = best(chains[n], "seconds")
    row(f"  {n} ranks", f"{seconds:.2f}", "s")
    if n <= cores:
        at_least("    faster", alone / seconds, 0.95 * n)
    else:
        row("    faster", f"{alone / seconds:.2f}", "x")
    beside_model(seconds, alone / 8 * -(-8 // n) * crowded(n), "s")
row("starting two ranks", f"{start:.2f}", "s")
batch, blocks, shards = 125, 16, 8
one = batch / best(step[1], "images_per_s", max) * 1e3
row("resnet20, a step of one process", f"{one:.1f}", "ms")
for n in COUNTS:
    shared = best(step[n], "ranks_step_ms")
    row(f"  a step that {n} ranks share", f"{shared:.1f}", "ms")
    images, bytes_, rate, update = shards // n * blocks // shards * 8, 4 * 274042, 3.3e9, 0.0035
    messages = 2e3 * (1 + 0.12 * (n - 2)) * bytes_ / rate
    beside_model(shared, (one * (images / batch + update) + messages) * crowded(n), "ms")
    share = best(step[n], "ranks_messages_share")
    limit = ("<= 3 %", share <= 0.03) if n <= cores else ("", None)
    row("    messages", f"{100 * share:.2f}", "%", *limit)
    row("    waiting for the slowest", f"{best(step[n], 'ranks_waited_ms'):.2f}", "ms")
PYTHON
