#!/bin/sh
# bench/tables: its scores are those of kelvin eval, so that kelvin and its peers are measured alike; and what it says
# where scikit-learn is missing. Usage: test_peers.sh KELVIN SOURCE_ROOT
. "$2/tests/shell.sh"
if ! /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
    echo "python3 or its numpy is not installed: nothing to compare"
    exit 77
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
