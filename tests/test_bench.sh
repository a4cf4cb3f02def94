#!/bin/sh
# kelvin-bench from outside: wrong use, and that its numbers are there and fit each other. Nothing is timed.
#
#     test_bench.sh KELVIN_BENCH SOURCE_ROOT
. "$2/tests/shell.sh"

# value KEY: of the object in ./stdout.
value() {
    python3 -c "import json; print(json.load(open('stdout'))['$1'])"
}

# ---- help and wrong use ----
ok --help
check "--help tells its use" grep -q "^Usage: kelvin-bench \[" stdout
check "lines of --help have at most 100 letters" [ -z "$(grep -E '^.{101}' stdout)" ]
for each in sghmc hmc; do wrong "unknown benchmark '$each'" $each; done
wrong "did you mean 'data'?" dat
wrong "did you mean 'resnet20'?" resnt20
wrong "6n + 2" resnet21
wrong "--methods is for networks" leapfrog --methods
wrong "--chains is for networks" data --chains 2
wrong "--chains must be at most 1024, not 100000" cnn --chains 100000

# ---- what it measures ----
ok --quick --json
check "bench --json is JSON" json
check "one gradient per leapfrog step" [ "$(value gradients_per_step)" = 1 ]
KELVIN_DATA=$work/no-cache
export KELVIN_DATA
ok data
check "bench data says what it measured" grep -q "digits: 1438 training images of 1x8x8, batches of 125" stdout
check "bench data says what is missing" grep -q "kelvin data cifar10" stdout
check "the aims are for cifar10 alone" [ -z "$(grep aim stdout)" ]
ok data --json
check "bench data --json is JSON" json
check "bench data --json says what it measured" [ "$(value data) $(value batch_images)" = "digits 125" ]
for key in open_seconds us_per_batch us_per_batch_median us_per_plain_batch images_per_s gb_per_s us_per_order; do
    check "bench data measures $key" python3 -c "import json; assert json.load(open('stdout'))['$key'] > 0"
done
ok tables --quick --json
check "bench tables --json is JSON" json
for size in 500x10 1000x30 2000x60; do
    check "a step on $size has its gradient in it" python3 -c "import json; v = json.load(open('stdout')); \
assert 0 < v['gradient_us_$size'] < 10 * v['step_us_$size'] and v['steps_per_s_$size'] > 0"
done
ok cnn --quick --threads 2 --chains 2 --json
check "bench cnn --json is JSON" json
check "bench cnn knows the network" [ "$(value model) $(value parameters) $(value batch) $(value threads)" = "cnn 4085 125 2" ]
for key in images_per_s gflops share_of_peak fma_peak_gflops fma_peak_gflops_together forward_images_per_s forward_gflops \
    forward_share_of_peak workspace_bytes resident_mb flops_per_image chains_images_per_s chains_ratio gradient_us step_us \
    epoch_end_us_per_step checkpoint_ms; do
    check "bench cnn measures $key" python3 -c "import json; assert json.load(open('stdout'))['$key'] > 0"
done
check "bench cnn counts as the direct method does, and its numbers fit each other" python3 -c "
import json
b = json.load(open('stdout'))
forward = 2 * (6 * 6 * 10 * 25 + 2 * 2 * 10 * 250 + 5 * 250 + 10 * 5)
step = 3 * forward - 2 * 6 * 6 * 10 * 25 # nobody asks for the gradient in the images
near = lambda x, y: abs(x / y - 1) < 1e-5 # seven digits are printed
assert b['flops_per_image'] == step, b
assert near(b['gflops'], b['images_per_s'] * step / 1e9), b
assert near(b['forward_gflops'], b['forward_images_per_s'] * forward / 1e9), b
for kind in ('', 'forward_'): assert near(b[kind + 'share_of_peak'], b[kind + 'gflops'] / (2 * b['fma_peak_gflops'])), b
alone = b['chains_images_per_s'] / b['chains_ratio'] # of one chain on one thread; that far off only if images are not counted
assert 1 / 20 < b['images_per_s'] / alone < 20, b
images = 125 * 784 * 4 # the least there is: the batch, and six gradients
assert images + 6 * 4085 * 4 < b['workspace_bytes'] < 1e6 * b['resident_mb'], b
o = {part: b['sampling_overhead' + part] for part in ('', '_median', '_batch', '_outputs', '_update', '_epochs', '_checkpoints')}
minute = 1 + b['checkpoint_ms'] / 60e3
assert near(1 + o[''], (b['step_us'] + b['epoch_end_us_per_step']) * minute / b['gradient_us']), b
assert near(o['_epochs'], b['epoch_end_us_per_step'] / b['gradient_us']) and o['_update'] > 0, b"
ok resnet8 --quick --threads 1 --methods --json
check "bench resnet8 measures every pass of its convolutions" python3 -c "
import json
layers = json.load(open('stdout'))['layers']
assert sum(layer['in_network'] for layer in layers) == 9, layers
for layer in layers:
    for name in ('forward', 'backward_data', 'backward_weights'):
        if (layer['name'], name) == ('stem', 'backward_data'): continue
        ways = layer[name]['methods']
        assert layer[name]['images_per_s'] > 0 and layer[name]['method'] in [way['method'] for way in ways]
        assert len(ways) == {(3, 1): 3, (3, 2): 2}.get((layer['kernel'], layer['stride']), 1), layer
        for way in ways: assert 0 < way['error'] < 2e-6, (layer['name'], name, way)"
ok mlp:20,20,20 --quick
check "bench says what it measured" grep -q "mlp:20,20,20 on 64x1x1: 2350 parameters, batches of 125" stdout
mkdir -p no-cache/cifar10
: >no-cache/cifar10/data_batch_1.bin
run data
check "bench data does not hide a damaged cache" complained 1 "has 0 bytes, expected 30730000"
unset KELVIN_DATA

# ---- beside an earlier version ----
race() {
    python3 -B "$root/bench/versions" "$@" >stdout 2>stderr
}
race nowhere
check "versions asks for a build folder" [ $? -eq 2 ]
check "and says so" grep -q "nowhere has no kelvin: expected the build folder" stderr
mkdir fake && : >fake/kelvin
race fake
check "versions wants the benchmark, too" [ $? -eq 2 ]
check "and says how to build it" grep -q "fake has no bench/kelvin-bench: .ninja -C fake bench-programs. builds it" stderr
mkdir fake/bench && : >fake/bench/kelvin-bench
race fake --only nothing
check "versions knows its races" [ $? -eq 2 ]
check "and lists them" grep -q "nothing is called nothing: there are resnet20, cnn, tables" stderr
race fake --version 0.0.0 --old old
check "a version that is not in the history is left out" [ $? -eq 0 ]
check "and that is said" grep -q "Version 0.0.0 is left out" stdout

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
