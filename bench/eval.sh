#!/bin/sh
# Evaluation: 200 samples of the paper's network for MNIST from their saved logits, and of two networks through them:
#
#     bench/eval.sh build/kelvin
#
# Without MNIST in the cache (kelvin data mnist) it is digits, and logits are fewer. A target that is missed is printed as
# such; only what does not run is a failure.
set -eu

rounds=${ROUNDS-4}
kelvin=$1
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

data=mnist
"$kelvin" sample --preset paper --data mnist --model cnn --dry-run >"$work/estimate" 2>&1 || data=digits
echo "sampling on $data" >&2
"$kelvin" sample --preset paper --data $data --model cnn --schedule constant --chains 2 --samples 200 --epochs 100 --lr 1e-3 -o "$work/cnn" >"$work/log" 2>&1
# Noise of the size of CIFAR-10, as numpy.save would write it.
/usr/bin/python3 - "$work" <<'PYTHON'
import random, struct, sys

def save(path, kind, shape, data):
    head = repr({"descr": kind, "fortran_order": False, "shape": shape})
    head += " " * (-(len(head) + 11) % 64) + "\n"
    open(path, "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + data)

n = 300
save(sys.argv[1] + "/x.npy", "|u1", (n, 3, 32, 32), random.Random(1).randbytes(n * 3072))
save(sys.argv[1] + "/y.npy", "<i8", (n,), struct.pack(f"<{n}q", *(i % 10 for i in range(n))))
PYTHON
"$kelvin" sample --preset paper --data "npy:$work/x.npy,$work/y.npy" --model resnet20 --schedule constant --chains 2 --samples 20 --epochs 10 --batch 120 \
    --temperature 0.1 --lr 1e-4 -o "$work/resnet" >"$work/log" 2>&1
for round in $(seq $rounds); do
    echo "round $round of $rounds" >&2
    "$kelvin" eval "$work/cnn" --json >"$work/saved-$round.json"
    "$kelvin" eval "$work/cnn" --on $data --json >"$work/cnn-$round.json"
    "$kelvin" eval "$work/resnet" --on "npy:$work/x.npy,$work/y.npy,split=0" --json >"$work/resnet-$round.json"
done

PYTHONPATH=$here /usr/bin/python3 -B - "$work" $data <<'PYTHON'
import sys

from table import best, head, results, row

saved, cnn, resnet = ([r["runs"][0] for r in results(sys.argv[1], name)] for name in ("saved", "cnn", "resnet"))
share = lambda rounds: 100 * max(r["seconds_in_network"] / r["seconds"] for r in rounds)
r = saved[0]
head(f"{r['samples']} samples of {r['model']} on {sys.argv[2]}, {r['observations']} images, {r['classes']} classes", saved)
row("from saved logits", f"{best(saved, 'seconds'):.2f}", "s", "<= 2 s", best(saved, "seconds") <= 2)
row("through the network", f"{best(cnn, 'seconds'):.2f}", "s")
row("  of it in the network", f"{share(cnn):.0f}", "%", ">= 90 %", share(cnn) >= 90)
row(f"{resnet[0]['samples']} samples of {resnet[0]['model']}, {resnet[0]['observations']} images", f"{best(resnet, 'seconds'):.2f}", "s")
row("  of it in the network", f"{share(resnet):.0f}", "%", ">= 90 %", share(resnet) >= 90)
PYTHON
