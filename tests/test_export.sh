#!/bin/sh
# kelvin export: what is refused, and what other programs read. Usage: test_export.sh KELVIN SOURCE_ROOT
. "$2/tests/shell.sh"

absent() { [ ! -e "$1" ] && [ ! -e "$1.tmp" ]; }
# refused CODE TEXT ARGUMENT...: and no file x is left.
refused() {
    code=$1 text=$2
    shift 2
    run export "$@" -o x
    check "kelvin export $* should fail with: $text" complained "$code" "$text"
    check "kelvin export $* should leave nothing" absent x
}

ok sample --schedule cyclical --chains 3 --samples 9 --epochs 30 --lr 1e-3 --model mlp:6,5 --seed 3 -o cyclical
ok sample --sampler hmc --iterations 30 --warmup 10 --chains 2 --steps 20 -o hmc
ok sample --sampler mclmc --data digits --model mlp:6 --iterations 30 --warmup 10 --chains 2 --steps 20 -o mclmc
# Two draws fill a file; the warm-up ends within one.
ok sample --sampler mclmc --model mlp:700,700 --iterations 7 --warmup 3 --chains 2 --steps 2 --data toy -o files
check "several files of draws" [ "$(ls files/chain-000/samples-* | wc -l)" -gt 2 ]
printf 'a,b,kind\n' >few.csv
for i in 1 2 3 4 5 6 7 8 9 10; do printf '%d,%d,naïve\n%d,3,"a, b"\n' $i $i $((i * i)); done >>few.csv
ok sample --data csv:few.csv,label=kind --model mlp:3 --batch 5 --chains 1 --epochs 5 --lr 1e-3 -o few

# ---- wrong use ----
wrong "which run?" export --format npz
wrong "which format?" export cyclical
wrong "unknown format 'numpy'" export cyclical --format numpy
wrong "did you mean 'netcdf'?" export cyclical --format netcdf4
wrong "unknown part 'stats'" export cyclical --format npz --what posterior,stats
wrong "have no test part" export hmc --format npz --what predictions
wrong "-o -: give the name of a file" export cyclical --format npz -o - --force
wrong "the name of the file is empty" export cyclical --format npz -o ""
wrong "the name of a run is empty" export "" --format npz
wrong "unexpected" export cyclical hmc --format npz

ok export cyclical --format npz
check "the default name" [ -f cyclical.npz ]
cp cyclical.npz kept
run export cyclical --format npz
check "a file that is there is not replaced" complained 1 "cyclical.npz: is there already; choose another name, or --force replaces it"
check "a file that was there is as it was" cmp -s kept cyclical.npz
ok export cyclical --format npz --force
cp cyclical/logits_test.npy kept
run export cyclical --format npz -o cyclical/logits_test.npy --force
check "nothing in a run is replaced" complained 1 "cyclical/logits_test.npy: is there already, in the folder of a run"
check "it is as it was" cmp -s kept cyclical/logits_test.npy
run export cyclical --format npz -o hmc --force
check "nor is a folder" complained 1 "hmc: is a folder"
cp few.csv kept
run export few --format npz -o ./few.csv --force
check "nor is the data set" complained 1 "few.csv: is of the data set that few was made from; choose another name"
check "the data set is as it was" cmp -s kept few.csv
(cd hmc && "$kelvin" export . --format npz >/dev/null)
check "the default name of ." [ -f hmc/hmc.npz ]
rm hmc/hmc.npz

# ---- runs that cannot be exported ----
refused 1 "nowhere" nowhere --format npz
mkdir empty
refused 1 "empty" empty --format npz
cp -r cyclical unfinished
rm unfinished/chain-001/samples-000.safetensors unfinished/chain-001/state.safetensors
refused 1 "has not ended" unfinished --format npz
cp -r cyclical lacking
rm lacking/chain-001/samples-000.safetensors
refused 1 "lacking/chain-001/samples-000.safetensors is missing; remove lacking/chain-001, and kelvin resume lacking samples that chain anew" \
    lacking --format npz
cp -r cyclical broken
python3 - <<'END'
import struct, zlib, json
path = "broken/chain-002/samples-000.safetensors"
raw = bytearray(open(path, "rb").read())
n, = struct.unpack("<Q", raw[:8])
head = raw[8:8 + n].decode()
at = 8 + n + json.loads(head)["layers.0.weight"]["data_offsets"][0]
raw[at:at + 4] = struct.pack("<f", float("nan"))
old = json.loads(head)["__metadata__"]["crc32"]
signed = json.loads(head)["__metadata__"]["header_crc32"]
raw[8:8 + n] = head.replace(old, "%08x" % zlib.crc32(raw[8 + n:])).replace(signed, "00000000").encode()
raw[:8 + n] = raw[:8 + n].replace(b'"00000000"', b'"%08x"' % zlib.crc32(raw[:8 + n]))
open(path, "wb").write(raw)
END
for format in npz safetensors; do
    refused 1 "samples-000.safetensors: is not as the run left it" broken --format $format
done
python3 "$root/tests/vouch.py" broken
for format in npz safetensors; do
    refused 1 "chain-002/samples-000.safetensors: tensor \"layers.0.weight\", value 0 (from 0) is nan; expected a number" \
        broken --format $format
done
run export cyclical --format npz -o nowhere/x
check "a folder that is not there" complained 1 "nowhere/x: could not be written: No such file"
if "$kelvin" export cyclical --format netcdf -o probe.nc >stdout 2>stderr; then
    refused 1 "samples-000.safetensors" broken --format netcdf
fi

# ---- a disk that is full ----
mkdir disk
if mount -t tmpfs -o size=16k none disk 2>stderr; then
    trap 'umount "$work/disk"; rm -rf "$work"' EXIT
    for format in npz safetensors $([ -e probe.nc ] && echo netcdf); do
        for size in 4k 16k 40k 100k 300k; do
            mount -o remount,size=$size disk
            run export cyclical --format $format -o disk/x
            check "$format on a disk of $size" complained 1 "disk/x: could not be written: No space left on device"
            check "$format on a disk of $size leaves nothing" [ -z "$(ls -A disk)" ]
        done
    done
    umount disk
    trap 'rm -rf "$work"' EXIT
else
    echo "skipped: no file system of our own can be mounted here to be full"
fi

# ---- chains that stopped early ----
run sample --chains 8 --epochs 2 --seed 3 --logit-limit 1.9 -o some
run export some --format npz
check "chains that diverged are left out" good
check "and named" grep -qx "kelvin export: 6 of 8 chains have fewer draws than the longest and are left out: chain 0, chain 1, chain 2, chain 5, chain 6, chain 7" stderr
run sample --schedule constant --chains 6 --samples 18 --epochs 12 --lr 1e-3 --model mlp:6 --seed 3 --logit-limit 8 -o partly
check "samples from before are in the report" grep -qx "kelvin sample: 1 of 6 chains diverged; the report is of the others, and of 2 samples from before" stderr
fewer() { # draws, by their shapes in the headers of files
    [ "$(cat partly/chain-*/samples-000.safetensors | grep -ao '"layers.0.bias":{"dtype":"F32","shape":\[[0-9]*' |
        sed 's/.*\[//' | tr '\n' ' ')" = "3 3 3 3 2 3 " ]
}
check "a chain that diverged has fewer samples" fewer
run export partly --format npz
check "a chain with fewer draws is left out" good
check "and named alone" grep -qx "kelvin export: 1 of 6 chains has fewer draws than the longest and is left out: chain 4" stderr
run sample --schedule constant --chains 3 --samples 60 --epochs 40 --lr 1e-2 --model mlp:6 --seed 3 --logit-limit 15 -o sooner
check "of all chains, too" grep -qx "kelvin sample: all chains diverged; the report is of their 13 samples from before" stderr
run export sooner --format npz
check "of chains that all diverged the longest is kept" grep -q "^sooner.npz: 1 chain of 5 draws" stdout
check "and the others are named" grep -qx "kelvin export: 2 of 3 chains have fewer draws than the longest and are left out: chain 0, chain 2" stderr
run sample --chains 2 --epochs 2 --logit-limit 0.001 -o none
refused 1 "none: all chains diverged: " none --format npz

# ---- logits that are computed again ----
cp -r cyclical bare
rm bare/logits_*.npy bare/labels_*.npy
ok export bare --format npz
check "logits that were lost are computed again" cmp -s bare.npz cyclical.npz
cp -r cyclical torn
dd if=cyclical/logits_test.npy of=torn/logits_test.npy bs=1000 count=5 2>/dev/null
refused 1 "logits_test.npy: is not as the run left it" torn --format npz
python3 "$root/tests/vouch.py" torn
refused 1 "logits_test.npy: holds" torn --format npz

# ---- the same twice ----
for format in npz safetensors netcdf; do
    ending=$format
    [ $format = netcdf ] && ending=nc
    for run in cyclical hmc mclmc files few; do
        run export $run --format $format --force
        if [ $format = netcdf ] && grep -qE "built without netCDF|libnetcdf is not installed" stderr; then
            echo "skipped: $(cat stderr)"
            break
        fi
        check "kelvin export $run --format $format" good
        ok export $run --format $format -o again.$ending --force
        check "two exports of $run are the same $format" cmp -s $run.$ending again.$ending
    done
done

# ---- what is in it ----
if ! /usr/bin/python3 -c 'import numpy, scipy' 2>/dev/null; then
    echo "skipped: python3, its numpy or its scipy is not installed: nothing to read the files with"
else
    for run in cyclical hmc mclmc files few; do
        check "what is in $run" /usr/bin/python3 "$root/tests/test_export.py" $run
    done
    for run in some partly; do
        check "what is in $run" /usr/bin/python3 "$root/tests/test_export.py" $run diverged
    done
fi

# what is not asked for is not needed
rm hmc/chain-000/history.csv
ok export hmc --format npz --what posterior -o parameters.npz
refused 1 "chain-000/history.csv" hmc --format npz --what sample_stats

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
