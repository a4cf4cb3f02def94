#!/bin/sh
# Chains that start from a state dict, as PyTorch's safetensors writes it: by every sampler, of every kind of floats; files
# that are refused leave nothing behind. Usage: test_start_files.sh KELVIN SOURCE_ROOT
. "$2/tests/shell.sh"
files() { python3 "$root/tests/test_start_files.py" "$@" 2>stderr; }
check "files are made" files make
small="--data toy --model mlp:5 --chains 2 --threads 1"

# ---- where chains start: steps so small that no parameter moves ----
hmc="--sampler hmc --iterations 2 --warmup 0 --steps 1 --step-size 1e-30"
for kind in F32 F64 F16 BF16 mixed shuffled; do
    ok sample $small $hmc --init $kind.safetensors -o hmc-$kind
    check "HMC starts at $kind" files equal hmc-$kind $kind.safetensors
done
ok sample $small --sampler mclmc --iterations 2 --warmup 0 --steps 1 --step-size 1e-30 --length 1 --init F64.safetensors -o mclmc
check "MCLMC does" files equal mclmc F64.safetensors
ok sample $small --sampler sghmc --epochs 1 --lr 1e-30 --batch 18 --init BF16.safetensors -o sghmc
check "SGHMC does" files near sghmc BF16.safetensors
check "which is not where the others do" sh -c '! python3 "$0" near sghmc F32.safetensors 2>/dev/null' "$root/tests/test_start_files.py"
run sample --dry-run $small $hmc --init F32.safetensors
check "what is to be sampled names the file" sh -c 'tr -d "\n" <stdout | tr -s " " | grep -qE "started from [^ ]*F32.safetensors"'
check "run.json has the whole path" grep -qF "\"init\": \"$(pwd -P)/F32.safetensors\"" hmc-F32/run.json
check "and a checksum" grep -qE '"init_crc32": "[0-9a-f]{8}"' hmc-F32/run.json
ok eval hmc-F32
ok diagnose hmc-F32
ok report hmc-F32 -o page.html
check "a report names the file" grep -qF F32.safetensors page.html

# ---- as from a sample ----
real="--epochs 6 --samples 4 --schedule constant --lr 1e-3 --batch 6"
ok sample $small --chains 2 $real -o first
check "sample 1 in a file" files sample first 1 one.safetensors
for sampler in "sghmc $real" "hmc --iterations 6 --steps 3 --step-size 0.1" "mclmc --iterations 6 --steps 3 --step-size 0.1 --length 1"; do
    rm -rf run file
    ok sample $small --sampler $sampler --seed 7 --init first/1 -o run
    ok sample $small --sampler $sampler --seed 7 --init one.safetensors -o file
    for each in chain-000/samples-000.safetensors chain-001/samples-000.safetensors logits_train.npy; do
        check "$sampler: the same bytes of $each" cmp run/$each file/$each
    done
done
check "chains part" sh -c '! cmp -s file/chain-000/history.csv file/chain-001/history.csv'

# ---- the file later on ----
ok sample --config file/run.json --threads 1 -o again
check "run.json says it all" cmp file/logits_train.npy again/logits_train.npy
cp one.safetensors kept
check "another file" files sample first 2 one.safetensors
run sample --config file/run.json --threads 1 -o changed
check "a file that has changed" complained 1 "one.safetensors have changed since the configuration was written; leave the field init_crc32 out"
rm -r again/chain-001
run resume again
check "and for a chain that is lost" complained 1 "chain 1 cannot be begun anew: the parameters that it starts from have changed; put that file back as it was"
mv kept one.safetensors
ok resume again
check "which comes back with the file" cmp file/chain-001/samples-000.safetensors again/chain-001/samples-000.safetensors
rm one.safetensors
ok resume again
ok eval again
check "nothing was left" [ ! -e changed ]

# ---- with settings from the data ----
ok sample --preset auto --data toy --model mlp:5 --sampler hmc --iterations 8 --chains 2 --threads 1 --init F16.safetensors -o chosen
check "the file is in run.json" grep -qF F16.safetensors chosen/run.json
run sample --preset auto --data toy --sampler hmc --iterations 8 --chains 2 --threads 1 --init F16.safetensors -o refused
check "another network is chosen" grep -qF "; set --model to its network, or rename its tensors: " stderr
check "and nothing is left of it" [ ! -e refused ]

# ---- experiments: a file is what is in it ----
printf '{"data": "toy", "model": "mlp:5", "preset": "paper", "sampler": "hmc", "iterations": 4, "steps": 1, "chains": 1, "cells": [{"name": "a", "init": "start.safetensors"}]}' >cells.json
cp F32.safetensors start.safetensors
ok experiment cells.json --cache cells --threads 1
ok experiment cells.json --cache cells --threads 1
check "is sampled once" [ "$(ls -d cells/*_*/run.json | wc -l)" = 1 ]
cp BF16.safetensors start.safetensors
ok experiment cells.json --cache cells --threads 1
check "and again with other parameters" [ "$(ls -d cells/*_*/run.json | wc -l)" = 2 ]
rm start.safetensors
run experiment cells.json --cache cells
check "and not without" grep -qF "init: start.safetensors: could not be read: No such file or directory" stderr

# ---- what is refused ----
hmc="--sampler hmc --iterations 2 --steps 1 --step-size 0.1"
refused() { # FILE TEXT
    run sample $small $hmc --init "$1" -o refused
    check "$1 should be refused with: $2" complained "${3:-1}" "$2"
    check "$1 leaves nothing behind" [ ! -e refused ]
}
fit="init does not fit mlp:5 on toy; set --model to its network, or rename its tensors: $(pwd -P)"
refused extra.safetensors "$fit/extra.safetensors: tensor \"layers.2.bias\" is one too many"
refused missing.safetensors "$fit/missing.safetensors: tensor \"layers.1.bias\" is missing"
refused renamed.safetensors "$fit/renamed.safetensors: tensor \"layer.1.bias\" is not known; did you mean 'layers.1.bias'?"
refused sequential.safetensors "tensor \"0.weight\" is not known; expected one of: layers.0.weight, layers.0.bias, layers.1.weight, layers.1.bias"
refused column.safetensors "tensor \"layers.1.bias\" is F32 (2, 1), expected F32 (2)"
refused turned.safetensors "tensor \"layers.0.weight\" is F32 (2, 5), expected F32 (5, 2)"
refused nan.safetensors "nan.safetensors: tensor \"layers.1.bias\": value 1 is nan, expected a finite number"
refused large.safetensors "large.safetensors: tensor \"layers.1.bias\": value 0 is 1e+39, expected a finite number that F32 can hold"
refused whole.safetensors "whole.safetensors: tensor \"layers.1.bias\" is I64 (2), expected F32, F64, F16 or BF16"
refused bytes.safetensors "expected dtype F32, F64, F16, BF16, I64 or BOOL"
refused cut.safetensors "cut.safetensors: holds 107 bytes of data, expected 108"
refused header.safetensors "header.safetensors: ends within its header: 42 bytes, expected "
refused short.safetensors "short.safetensors: is not a safetensors file: 7 bytes"
refused empty.safetensors "empty.safetensors: is not a safetensors file: 0 bytes"
refused zip.safetensors "zip.safetensors: is not a safetensors file"
refused text.safetensors "text.safetensors: is not a safetensors file"
refused nowhere.safetensors "init is \"nowhere.safetensors\": there is no such file" 2
refused "$work/nowhere.safetensors" "nowhere.safetensors: could not be read: No such file or directory" 2
refused cells.json "cells.json: is a file; expected the folder of a run, or a file that ends in .safetensors" 2
refused first/chain-000/samples-000.safetensors "start from the folder of the run: --init RUN or --init RUN/SAMPLE" 2
ok export first --format safetensors -o exported.safetensors
refused exported.safetensors "holds what kelvin writes of a run, not the state dict of one network" 2

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
