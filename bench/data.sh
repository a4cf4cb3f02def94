#!/bin/sh
# Batches beside NumPy's (and PyTorch's) of the same images, and beside the targets:
#
#     bench/data.sh build/bench/kelvin-bench
#
# The two run in turns, so that a slow minute of the machine hits both, and the best of each counts. A target that is
# missed is printed as such; only what does not run is a failure.
set -eu

rounds=${ROUNDS-4}
bench=$1
here=$(dirname "$0")
peer="/usr/bin/python3 $here/numpy_batch.py"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

numpy=yes
/usr/bin/python3 -c "import numpy" 2>/dev/null || numpy=no

for round in $(seq $rounds); do
    echo "round $round of $rounds" >&2
    "$bench" data --json >"$work/kelvin-$round.json"
    [ $numpy = no ] || $peer $(/usr/bin/python3 -c "
import json
r = json.load(open('$work/kelvin-$round.json'))
print(*(int(r[key]) for key in ('train_images', 'channels', 'height', 'width', 'batch_images')))") \
        >"$work/numpy-$round.json"
done

PYTHONPATH=$here /usr/bin/python3 -B - "$work" <<'PYTHON'
import sys

from table import best, head, results, row

ours, numpy = (results(sys.argv[1], name) for name in ("kelvin", "numpy"))
aims = ours[0].get("aims", {})


def aimed(title, key, unit, digits):
    value, aim = best(ours, key), aims.get(key, {}).get("aim")
    row(title, f"{value:.{digits}f}", unit, *([f"<= {aim:g} {unit}", value <= aim] if aim else []))


r = ours[0]
head(f"{r['cpu']}, {r['isa']}, one core; {r['data']}: {r['train_images']:.0f} images of "
     f"{r['channels']:.0f}x{r['height']:.0f}x{r['width']:.0f}", ours)
aimed("opening", "open_seconds", "s", 3)
if "resident_mb" in r:
    aimed("resident, everything", "resident_mb", "MB", 1)
batch = best(ours, "us_per_batch")
aimed(f"batch of {r['batch_images']:.0f}, flipped and cropped", "us_per_batch", "us", 1)
aimed("batch as it is", "us_per_plain_batch", "us", 1)
peers = [(f"NumPy {numpy[0]['numpy']}, as first written", "us_per_batch_loop"),
         (f"NumPy {numpy[0]['numpy']}, all images at once", "us_per_batch")] if numpy else []
if numpy and numpy[0]["torch"]:
    peers.append((f"PyTorch {numpy[0]['torch']}, all images at once", "us_per_batch_torch"))
for title, key in peers:
    theirs = best(numpy, key)
    row(title, f"{theirs:.1f}", "us")
    row("  in kelvin's batches", f"{theirs / batch:.1f}", "x")
if not numpy:
    print("\nNumPy is left out: apt-get install python3-numpy brings it.")
if not aims:
    print("\nThe targets are those of CIFAR-10, which is not in the cache: kelvin data cifar10 brings it.")
PYTHON
