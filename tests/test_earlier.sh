#!/bin/sh
# Folders that version 0.6 has left: every answer is the one that it gave itself, with a note that they have no
# checksums. tests/data/said-by-0.6-*.json is what its eval and diagnose said, in JSON.
# Usage: test_earlier.sh KELVIN SOURCE_ROOT
. "$2/tests/shell.sh"

kept="was written by kelvin 0.6.0, which kept no checksums: damage to it may not show"
noted() { # RUN: nothing else is on standard error, and this once
    [ "$(cat code)" = 0 ] && [ "$(cat stderr)" = "note: $1 $kept" ]
}
as_before() { # RUN COMMAND: what standard output says, against what 0.6 said
    python3 - "$root/tests/data/said-by-0.6-$1.json" "$2" 2>stderr <<'PYTHON'
import json, sys
count = 0
def compare(was, now, where):
    global count
    if isinstance(was, dict):
        for key in was:
            if key not in ("run", "name", "notes", "advice", "warnings", "seconds_in_network"):
                compare(was[key], now[key], where + "." + key)
    elif isinstance(was, list):
        assert len(was) == len(now), where
        for i, pair in enumerate(zip(was, now)):
            compare(*pair, "%s[%d]" % (where, i))
    elif isinstance(was, float):
        count += 1
        assert abs(was - now) <= 1e-12 * abs(was), (where, was, now)
    else:  # that chains of HMC have samples is told since 0.7
        assert was == now or where.endswith("sample_chain"), (where, was, now)
compare(json.load(open(sys.argv[1]))[sys.argv[2]], json.load(open("stdout")), sys.argv[2])
assert count > 20
PYTHON
}

for name_of in sghmc hmc diverged; do
    cp -r "$root/tests/data/run-0.6-$name_of" $name_of
    for command in eval diagnose; do
        run $command $name_of --json
        check "$command $name_of has a note" noted $name_of
        check "$command $name_of is as before" as_before $name_of $command
    done
    run report $name_of -o $name_of.html
    check "a page is made, with a note" noted $name_of
    check "which is on the page, too" grep -qF "The run in $name_of $kept." $name_of.html
    printf '0.5,-0.25\n' >point.csv
    run predict $name_of point.csv
    check "predictions have it" noted $name_of
    for format in npz safetensors; do
        run export $name_of --format $format
        check "exports have it" grep -qxF "note: $name_of $kept" stderr
    done
    mv $name_of/logits_train.npy whole.npy
    run eval $name_of --json
    check "logits that are gone are computed" as_before $name_of eval
    mv whole.npy $name_of/logits_train.npy
done
run report sghmc hmc -o both.html
check "a note for each" [ "$(grep -cF "$kept" stderr)" = 2 ]
check "both on the page" [ "$(grep -cF "$kept" both.html)" = 2 ]

# ---- what is exported is what is in the files ----
cat >exported.py <<'PYTHON'
import glob, json, struct, sys
def tensors(path):
    raw = open(path, "rb").read()
    n, = struct.unpack("<Q", raw[:8])
    head = json.loads(raw[8:8 + n])
    head.pop("__metadata__")
    return {k: (t["shape"], raw[8 + n:][slice(*t["data_offsets"])]) for k, t in head.items()}
run = sys.argv[1]
found, config = tensors(run + ".safetensors"), json.load(open(run + "/run.json"))
if config["sampler"] == "hmc":
    warmup, draws = config["warmup"], config["iterations"]
    files = [tensors("%s/chain-%03d/samples.safetensors" % (run, c)) for c in range(config["chains"])]
    drawn = {k: b"".join(f[k][1][len(f[k][1]) // draws * warmup:] for f in files) for k in files[0]}
    stats = {"lp", "acceptance_rate", "energy_error", "accepted", "iteration"}
else:
    files = [tensors(p) for p in sorted(glob.glob(run + "/chain-*/sample-*.safetensors"))]
    drawn = {k: b"".join(f[k][1] for f in files) for k in files[0]}
    stats = {"lp", "lr", "temperature", "kinetic_temperature", "configurational_temperature", "epoch"}
assert len(drawn) == 4 and {k: found[k][1] for k in drawn} == drawn
others = {"log_likelihood", "logits_train", "labels_train", "chain", "draw"}
assert set(found) == set(drawn) | stats | others, set(found) ^ (set(drawn) | stats | others)
PYTHON
for name_of in sghmc hmc; do
    check "what is exported of $name_of" python3 exported.py $name_of
done

# ---- resume ----
for name_of in sghmc hmc diverged; do
    cp -r $name_of again
    rm again/logits_train.npy
    run resume again
    check "logits that were lost are made again" cmp -s $name_of/logits_train.npy again/logits_train.npy
    check "nothing vouches for an old folder afterwards" [ ! -e again/manifest ]
    run resume again
    check "of whose files nothing more can be said" grep -qx "again has ended already: there is nothing left to do." stderr
    rm -r again
done
cp -r sghmc unfinished
rm unfinished/chain-001/sample-002.safetensors unfinished/chain-001/state.safetensors
for command in resume eval diagnose "report -o x.html"; do
    run $command unfinished
    check "$command: an old run that has not ended" complained 1 \
        "unfinished: was begun by kelvin 0.6.0, and chain 1 has not ended: go on with that version, or sample it anew with kelvin sample --config unfinished -o NEW"
done
ok sample --config unfinished -o anew
check "which can be done" [ -e anew/manifest ]
ok export anew --format safetensors
cat >same_draws.py <<'PYTHON'
import json, struct
def parts(path):
    raw = open(path, "rb").read()
    n, = struct.unpack("<Q", raw[:8])
    return json.loads(raw[8:8 + n]), raw[8 + n:]
(a, x), (b, y) = parts("sghmc.safetensors"), parts("anew.safetensors")
names = [k for k in a if k.startswith("layers.") or k == "logits_train"]
def floats(part, data, k):
    raw = data[slice(*part[k]["data_offsets"])]
    return struct.unpack(f"<{len(raw) // 4}f", raw)
assert len(names) == 5
for k in names: # rows of a batch are added up in another order since 0.15
    assert all(abs(p - q) < 1e-5 * max(1, abs(q)) for p, q in zip(floats(b, y, k), floats(a, x, k), strict=True)), k
PYTHON
check "and gives the draws of 0.6, but for roundings" python3 same_draws.py

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
