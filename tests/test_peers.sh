#!/bin/sh
# bench/tables: its scores are those of kelvin eval, so that kelvin and its peers are measured alike; and what it says
# where scikit-learn is missing. bench/speed_peers.py: its table has losses on top; and what it, and the programs that
# it runs, say without JAX and PyTorch, or to wrong arguments. Usage: test_peers.sh KELVIN SOURCE_ROOT
. "$2/tests/shell.sh"
if ! /usr/bin/python3 -c '' 2>/dev/null; then
    echo "python3 is not installed: nothing to compare"
    exit 77
fi
mkdir without

# Programs of bench/speed_peers.py. A JAX and a PyTorch that cannot be imported stand before those that may be there.
for package in jax torch; do
    mkdir without/$package
    echo "raise ImportError('gone', name='$package')" >without/$package/__init__.py
    for program in networks toy mlp; do
        file=$root/bench/${package}_$program.py
        PYTHONPATH=without /usr/bin/python3 -B "$file" 1 >stdout 2>stderr
        check "without $package it fails: $program" [ $? -ne 0 ]
        check "in one line: $program" [ "$(wc -l <stderr)" -eq 1 ]
        check "which names $package: $program" grep -q "$program.py: the Python package $package is not inst" stderr
    done
done

# refused TEXT ARGUMENT...: by bench/speed_peers.py.
refused() {
    text=$1
    shift
    /usr/bin/python3 -B "$root/bench/speed_peers.py" "$@" >stdout 2>stderr
    check "speed_peers.py $* should be refused" [ $? -eq 2 ]
    check "with: $text" grep -qF -e "$text" stderr
}
refused "the following arguments are required: --bench"
refused "--bench: there is no missing" --bench missing
refused "--groups: nothing: not one of resnet20, cnn, toy, mlp" --bench "$kelvin" --groups nothing

# Numbers of two rounds: the best of each counts, the ratio is theirs to ours, and what is lost comes first.
cat >rows.py <<'PYTHON'
import sys

import speed_peers as peers

def ways(*seconds):
    return {way: {"best": s, "median": 2 * s, "first_call_seconds": 1.5} for way, s in zip(("one", "other"), seconds)}

results = peers.Results()
for ours, theirs in ((4e-6, (9e-6, 3e-6)), (2e-6, (8e-6, 5e-6))):
    results.add_ours(1, {"mlp:20 step": ours, "cnn step": 2e-6})
    results.add_theirs("JAX 1", 1, {"mlp:20 step": {"ways": ways(*theirs), "failed": {"third": "no"}, "cores": 1},
                                    "cnn step": {"ways": ways(1e-6), "failed": {}, "cores": 2}})
lost, won = results.rows()
assert (lost["race"], lost["ratio"], lost["way"]) == ("cnn step", 0.5, "one"), lost
assert (won["race"], won["kelvin"], won["theirs"], won["way"]) == ("mlp:20 step", 2e-6, 3e-6, "other"), won
assert abs(won["ratio_of_medians"] - 4 / 3) < 1e-9, won
text = peers.report(results, {"cpu": "a CPU", "isa": "x", "kelvin": "1"}, 2)
assert text[0] == "kelvin is behind in 1 of 2 rows, which come first: cnn step (JAX 1, 2.00 x as fast).", text[0]
assert text[6].startswith("| cnn step, 1 core | 500,000 images/s | JAX 1: one | 1,000,000 images/s | 0.50 x"), text[6]
assert text[-2:] == ["JAX 1: mlp:20 step: third: no", "JAX 1: cnn step: took 2 cores, not 1"], text
# Two processes at once, one of which lacks a way.
both = [{"toy": {"ways": ways(2e-6, 3e-6)}}, {"toy": {"ways": ways(6e-6)}}]
joined = peers.Peer("python3", "jax", None).joined(both)["toy"]
assert list(joined) == ["one, a process per core"] and abs(joined["one, a process per core"]["best"] - 1.5e-6) < 1e-12, joined
PYTHON
PYTHONPATH=$root/bench /usr/bin/python3 -B rows.py >stdout 2>stderr
check "rows of speed_peers.py" [ $? -eq 0 ]

# What follows takes NumPy.
if ! /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
    echo "$passed passed, $failed failed; numpy is not installed: scores are not compared"
    [ "$failed" -eq 0 ]
    exit
fi

ok sample --data toy --model mlp:4 --density categorical --prior normal:1 --lr 1e-2 --epochs 50 --batch 18 --chains 3 --samples 3 --schedule paper -o run
ok eval --json --on train run
cat >compare.py <<'PYTHON'
import json
import sys

import numpy as np
from score import scores

z = np.load("run/logits_train.npy").astype(float)
p = np.exp(z - z.max(axis=2, keepdims=True))
p = (p / p.sum(axis=2, keepdims=True)).mean(axis=0)
ours = scores(p, np.arange(p.shape[1]), np.load("run/labels_train.npy"))
theirs = json.load(open("stdout"))["runs"][0]["ensemble"]
theirs["nll"] = -theirs["mean_log_likelihood"]
for key in ours:  # logits are floats, sums are doubles
    if abs(ours[key] - theirs[key]) > 1e-6:
        sys.exit(f"{key}: {ours[key]} here, {theirs[key]} by kelvin eval")
PYTHON
check "scores as kelvin eval has them" env PYTHONPATH="$root/bench/tables" /usr/bin/python3 -B compare.py

# A scikit-learn that cannot be imported stands before one that may be installed.
mkdir -p without/sklearn without/pandas
for package in sklearn pandas; do echo "raise ImportError('gone', name='$package')" >without/$package/__init__.py; done
PYTHONPATH=without /usr/bin/python3 -B "$root/bench/tables" >stdout 2>stderr
check "without scikit-learn it fails" [ $? -ne 0 ]
check "and says what is missing" grep -q "the Python package pandas is not installed" stderr

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
