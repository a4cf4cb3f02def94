#!/bin/sh
# Sampling speed beside PyTorch's on the same posterior, and beside the targets:
#
#     bench/hmc.sh build/bench/kelvin-bench
#
# The two run in turns, so that a slow minute of the machine hits both, and the best of each counts. A target that is
# missed is printed as such; only what does not run is a failure.
set -eu

rounds=${ROUNDS-4}
bench=$1
here=$(dirname "$0")
peer="/usr/bin/python3 $here/torch_toy.py"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

torch=yes
/usr/bin/python3 -c "import torch" 2>/dev/null || torch=no

full= # the two posteriors in full: once
for round in $(seq $rounds); do
    echo "round $round of $rounds" >&2
    "$bench" leapfrog --json $full >"$work/kelvin-$round.json"
    full=--quick
    [ $torch = no ] || $peer >"$work/torch-$round.json"
done

PYTHONPATH=$here /usr/bin/python3 -B - "$work" <<'PYTHON'
import sys

from table import best, head, results, row

ours, torch = (results(sys.argv[1], name) for name in ("kelvin", "torch"))
head(f"{ours[0]['cpu']}, {ours[0]['isa']}, {ours[0]['threads']} threads", ours)
gradient = best(ours, "us_per_gradient")
row("gradient of 492 parameters at 18 points, one core", f"{gradient:.3f}", "us", "<= 1.0 us", gradient <= 1)
share = best(ours, "gflops", max) / best(ours, "fma_peak_gflops", max)
row("share of the FMA peak", f"{100 * share:.1f}", "%")
if torch:
    for title, variant in (("as first written", "_plain"), ("autograd at best", "_autograd"), ("backward by hand", "")):
        theirs = best(torch, "us_per_gradient" + variant)
        row(f"PyTorch {torch[0]['torch']}, {title}", f"{theirs:.1f}", "us")
        row("  in kelvin's gradients", f"{theirs / gradient:.0f}", "x", ">= 400 x", theirs / gradient >= 400)
seconds = ours[0]["both_posteriors_seconds"]
row("both posteriors of figure 1, all cores", f"{seconds:.1f}", "s", "<= 25 s", seconds <= 25)
if not torch:
    print("\nPyTorch is left out: apt-get install python3-torch brings it (over 1 GB).")
PYTHON
