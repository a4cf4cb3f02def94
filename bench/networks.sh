#!/bin/sh
# Networks beside PyTorch's, and their convolutions beside oneDNN's, and beside the targets:
#
#     bench/networks.sh build/bench/kelvin-bench
#
# The programs run in turns, so that a slow minute of the machine hits all, and the best of each counts. A target that is
# missed is printed as such; only what does not run is a failure. Some minutes.
set -eu

rounds=${ROUNDS-3}
bench=${1:?expected: bench/networks.sh build/bench/kelvin-bench}
here=$(dirname "$0")
peer="/usr/bin/python3 $here/torch_networks.py"
onednn=$(dirname "$bench")/onednn_layers
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

torch=yes
/usr/bin/python3 -c "import torch" 2>/dev/null || torch=no
threads=1
[ "$(nproc)" -lt 2 ] || threads="1 2"

# What runs now, and then the command itself; its results go to a file of that name.
into() {
    file=$1
    shift
    echo "round $round of $rounds: ${file%-*}" >&2
    "$@" >"$work/$file.json"
}

for round in $(seq $rounds); do
    chains=
    for n in $threads; do
        [ $n = 1 ] || chains="--chains $n"
        into kelvin-resnet20-$n-$round "$bench" resnet20 --threads $n $chains --json
        for network in resnet20 cnn; do
            [ $torch = no ] || into torch-$network-$n-$round $peer $network $n
        done
    done
    into kelvin-cnn-1-$round "$bench" cnn --threads 1 $chains --json
    [ ! -x "$onednn" ] || into onednn-$round "$onednn"
    # The same machine with half the width of vectors, where it has the whole.
    ! grep -q '"isa": "x86-64-v4"' "$work/kelvin-resnet20-1-$round.json" ||
        into narrow-$round env KELVIN_ISA=x86-64-v3 "$bench" resnet20 --threads 1 --json
done

PYTHONPATH=$here /usr/bin/python3 -B - "$work" <<'PYTHON'
import sys

from table import at_least, best, head, results, row

NETWORKS, THREADS = ("resnet20", "cnn"), (1, 2)
PASSES = ("forward", "backward_data", "backward_weights")
ours = {(name, n): results(sys.argv[1], f"kelvin-{name}-{n}") for name in NETWORKS for n in THREADS}
torch = {(name, n): results(sys.argv[1], f"torch-{name}-{n}") for name in NETWORKS for n in THREADS}
onednn, narrow = results(sys.argv[1], "onednn"), results(sys.argv[1], "narrow")
one = ours["resnet20", 1]


def most(rounds, key):
    return best(rounds, key, max)


def beside_torch(title, name, n, key, target):
    """PyTorch as one would write it first, and at its best; one core's share where more threads help it."""
    mine = most(ours[name, n], key)
    row(f"{name}, {title}, {n} thread{'s' if n > 1 else ''}", f"{mine:.0f}", "images/s")
    for way, suffix in (("as first written", "_plain"), ("at its best", "")):
        rates = [most(torch[name, m], key + suffix) * n / m for m in THREADS if m >= n and torch[name, m]]
        if rates:
            row(f"  PyTorch {torch[name, n][0]['torch']}, {way}", f"{max(rates):.0f}", "images/s")
            at_least("    kelvin beside it", mine / max(rates), target)


def layer_rates(rounds):
    """The best images per second of each layer and pass, whatever the method."""
    rates = {}
    for layer in (layer for r in rounds for layer in r["layers"]):
        for name in PASSES:
            found = layer.get(name, {})
            ways = [found] if "images_per_s" in found else [way for way in found.values() if way]
            key = (layer["shape"], layer["kernel"], layer["stride"], layer["in_network"], name)
            rates[key] = max([rates.get(key, 0)] + [way["images_per_s"] for way in ways])
    return {key: rate for key, rate in rates.items() if rate}


def beside_onednn():
    mine, theirs = layer_rates(one), layer_rates(onednn)
    wanted = [key for key in mine if key in theirs and key[1:3] == (3, 1)]
    for name in PASSES:
        sums = [sum(key[3] / rates[key] for key in wanted if key[4] == name) for rates in (mine, theirs)]
        row(f"  {name.replace('_', ' ')}, kelvin beside it", f"{sums[1] / sums[0]:.2f}", "x")
    sums = [sum(key[3] / rates[key] for key in wanted) for rates in (mine, theirs)]
    at_least("  all three passes", sums[1] / sums[0], 1.2)


head(f"{one[0]['cpu']}, {one[0]['isa']}; images per second of batches of {one[0]['batch']:.0f}", one)
for n in THREADS:
    if ours["resnet20", n]:
        beside_torch("step", "resnet20", n, "images_per_s", 5)
        beside_torch("forward", "resnet20", n, "forward_images_per_s", 5)
peak = max(most(rounds, "fma_peak_gflops") for rounds in ours.values() if rounds)
row("FMA peak of one core", f"{peak:.1f}", "GFLOP/s")
at_least("resnet20, step, counted as direct, in FMA peaks", most(one, "gflops") / peak, 1.6)
if onednn:
    row(f"3x3 layers of stride 1, oneDNN {onednn[0]['onednn']}", "", "")
    beside_onednn()
if narrow:
    at_least("resnet20, step, AVX2 beside AVX-512", most(narrow, "images_per_s") / most(one, "images_per_s"), 0.9)
beside_torch("step", "cnn", 1, "images_per_s", 8)
beside_torch("forward", "cnn", 1, "forward_images_per_s", 5)
if ours["resnet20", 2]:
    for rounds in (ours["resnet20", 2], ours["cnn", 1]):
        at_least(f"{rounds[0]['model']}, two chains beside one", most(rounds, "chains_ratio"), 1.9)
resident = best(one, "resident_mb")
row("resnet20, resident, one chain", f"{resident:.0f}", "MB", "<= 150 MB", resident <= 150)
for rounds, target in ((one, 0.05), (ours["cnn", 1], 0.20)):
    chain = (best(rounds, "step_us") + best(rounds, "epoch_end_us_per_step")) * (1 + best(rounds, "checkpoint_ms") / 60e3)
    overhead = 100 * (chain / best(rounds, "gradient_us") - 1)
    row(f"{rounds[0]['model']}, sampling over the bare gradient", f"{overhead:.1f}", "%", f"<= {100 * target:g} %",
        overhead <= 100 * target)
    for part in ("batch", "outputs", "update", "epochs", "checkpoints"):
        shares = sorted(r["sampling_overhead_" + part] for r in rounds)
        row(f"  {part}, median of rounds", f"{100 * shares[len(shares) // 2]:.2f}", "%")
if not torch["resnet20", 1]:
    print("\nPyTorch is left out: apt-get install python3-torch brings it (over 1 GB).")
if not onednn:
    print("\noneDNN is left out: it takes version 2, apt-get install libdnnl-dev, and make bench again.")
elif not any(way for r in onednn for layer in r["layers"] for name in PASSES
             for title, way in layer.get(name, {}).items() if title == "winograd"):
    print("\noneDNN has its Winograd convolution only with AVX-512: here its direct one ran.")
PYTHON
