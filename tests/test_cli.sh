#!/bin/sh
# The command from outside: every wrong use gets one sentence and exit 2, failures exit 1, and what it writes can be
# read, does not depend on threads or instruction set, and agrees with a slow evaluation of the same draws.
#
#     test_cli.sh KELVIN SOURCE_ROOT
. "$2/tests/shell.sh"

small="--sampler hmc --iterations 12 --steps 50 --chains 3 --seed 7"

# ---- help ----
ok --help
ok --version
commands=$("$kelvin" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]\{1,\}\) .*/\1/p')
check "there are commands" [ "$(echo $commands | wc -w)" -ge 10 ]
# lint FILE: whether those who read manual pages have nothing to say about it.
lint() {
    mandoc=$(command -v mandoc) && "$mandoc" -Tlint "$1" >&2 || [ -z "$mandoc" ] || return 1
    ! command -v groff >/dev/null || [ -z "$(groff -man -Tutf8 -ww "$1" 2>&1 >formatted)" ]
}
ok --man
mv stdout kelvin.1
check "kelvin.1 is clean" lint kelvin.1
for command in $commands; do
    check "kelvin.1 has kelvin-$command" grep -q "^\.BR kelvin.-$command (1)\$" kelvin.1
    ok $command --help
    check "kelvin $command --help tells its use" grep -q "^Usage: kelvin $command" stdout
    sed -n 's/^  \(-., \|    \)\(--[a-z-]*\).*/\2/p' stdout | grep -v -x -e --help | sort >options
    ok --man $command
    mv stdout page.1
    check "kelvin-$command.1 is clean" lint page.1
    check "kelvin-$command.1 has the options of its help" [ "$(tr -d '\\' <page.1 |
        sed -n 's/^\.B \(-., \)\{0,1\}\(--[a-z-]*\).*/\2/p' | sort)" = "$(cat options)" ]
    for section in NAME SYNOPSIS DESCRIPTION OPTIONS "EXIT STATUS" EXAMPLES "SEE ALSO"; do
        check "kelvin-$command.1 has $section" grep -q "^\.SH $section\$" page.1
    done
    # What comes before --help is read: an option that is not there would be a failure.
    sed -n '/^\.SH EXAMPLES/,$s/^\.B kelvin \(.*\)/\1/p' page.1 | tr -d '\\' >examples
    check "kelvin-$command.1 has examples" [ -s examples ]
    while read -r line; do ok $line --help </dev/null; done <examples
done
wrong "did you mean 'sample'?" --man smaple
wrong "unexpected argument 'more'" --man sample more
# members FAMILY FIELD: what kelvin info --json has of its members, one by line.
members() {
    "$kelvin" info --json | python3 -c "import json, sys
for member in json.load(sys.stdin)['$1']: print(member['$2'])"
}
ok figure --list
cut -d" " -f1 stdout >figures
check "figure --list has one line for each" [ "$(cat figures)" = "$(members figures name)" ]
theory="distribution-slices dirichlet-gradients phase-diagram confidence-density ndg-ridgeline wasserstein
    cdf-validation critical-alpha schedule" # those that need no sampling
check "there are twenty figures" [ "$(wc -l <figures)" -eq 20 ]
for figure in $(cat figures); do
    ok figure $figure --help
    check "kelvin figure $figure --help is its own" grep -q "^Usage: kelvin figure $figure " stdout
done
ok figure phase-diagram --help
check "a figure's help shows its own defaults" grep -q -e "--classes K .*\[10\]" stdout
check "a figure's help shows its own options" [ "$(grep -c -e "--temperatures" -e "--alpha" stdout)" = 0 ]
ok info
for family in samplers schedules models densities priors data_sets augmentations metrics formats figures; do
    members $family usage >usages
    check "info --json has $family" [ -s usages ]
    while read -r usage; do
        check "info lists $usage" grep -qF -e "  $usage" stdout
    done <usages
done
ok info --json
check "info --json is JSON" json
for command in "" $commands "sample --sampler hmc" "sample --sampler mclmc"; do
    run $command --help
    check "lines of kelvin $command --help have at most 100 letters" [ -z "$(grep -E '^.{101}' stdout)" ]
done
run info
check "lines of kelvin info have at most 100 letters" [ -z "$(grep -E '^.{101}' stdout)" ]

# ---- wrong use ----
wrong "which command?"
wrong "did you mean 'sample'?" samlpe
wrong "expected one of: sample" xyzzy
wrong "did you mean '--version'?" --versoin
wrong "did you mean '--density'?" sample --densty categorical -o refused
wrong "unknown option '-x'" sample -x
wrong "unexpected argument 'extra'" sample extra -o refused
wrong "unexpected argument 'two'" diagnose one two
wrong "which run?" diagnose
wrong "--steps needs a value" sample -o refused --steps
for next in -o --seed --help --; do wrong "--sampler needs a value" sample --sampler $next refused; done
wrong "unknown sampler '-o'" sample --sampler=-o
wrong "--json takes no value" sample -o refused --json=yes
wrong "did you mean 'dirclip'?" sample -o refused --density dirclop:0.5,-50
wrong "clip" sample -o refused --density dirclip:0.5
wrong "clip is '3'" sample -o refused --density dirclip:0.5,3
wrong "did you mean 'normal'?" sample -o refused --prior normel:1
wrong "did you mean 'normal'?" sample -o refused --prior norm:1 # its beginning, though 'none' is nearer
wrong "expected one of: categorical, dirichlet, dirclip" sample -o refused --density dir:1 # the beginning of two
wrong "s is '-0.1'" sample -o refused --prior normal:-0.1
wrong "unknown sampler 'gibbs'" sample -o refused --sampler gibbs
wrong "unknown data set 'mnits'" sample -o refused --data mnits
wrong "unknown model 'perceptron'" sample -o refused --model perceptron
wrong "looks at images" sample --sampler hmc -o refused --model cnn
wrong "6n + 2" sample -o refused --model resnet21
wrong "steps is 0; expected a whole number of at least 1" sample --sampler mclmc -o refused --steps 0
wrong "chains is 0" sample -o refused --chains 0
wrong "iterations is 0" sample --sampler hmc -o refused --iterations 0
wrong "warmup is 12 of 12" sample --sampler hmc -o refused --iterations 12 --warmup 12
wrong "step_size is -0.1; expected a number of at least 0 and at most 3.4" sample --sampler hmc -o refused --step-size -0.1
wrong "temperature is 0, at which HMC cannot sample; expected a number above 0" sample --sampler hmc -o refused --temperature 0
wrong "temperature is 0, at which MCLMC cannot sample; expected a number above 0" sample --sampler mclmc -o refused --temperature 0
wrong "energy_variance is 0; expected a number above 0" sample --sampler mclmc -o refused --energy-variance 0
wrong "steps is 65536; expected a whole number of at least 1 and at most 65535" sample --sampler mclmc -o refused --steps 65536
wrong "length is -1; expected a number of at least 0" sample --sampler mclmc -o refused --length -1
wrong "whole number, not 'ten'" sample -o refused --chains ten
wrong "whole number, not '3.5'" sample -o refused --chains 3.5
for text in 1.5 1.25e1 e3 1e 1e+ 1e-1 1e3x 1.2.3 0x10 1.00000000000000000000001 .5 1e1.5; do
    wrong "whole number, not '$text'" sample -o refused --chains $text
done
for text in 1e10 1e99999999999999999999 4294967296 42949672960e0; do
    wrong "--chains must be at most 4294967295, not '$text'" sample -o refused --chains $text
done
wrong "whole number, not '3 '" sample -o refused --chains "3 "
wrong "whole number, not ''" sample -o refused --chains ""
wrong "must not be negative" sample -o refused --seed -1
wrong "at most 4294967295" sample -o refused --chains 4294967296
wrong "at most 18446744073709551615" sample -o refused --seed 18446744073709551616
wrong "must be a number, not '1e-4x'" sample --sampler hmc -o refused --step-size 1e-4x
wrong "must be a number, not 'nan'" sample -o refused --temperature nan
wrong "out of range: '1e309'" sample --sampler hmc -o refused --step-size 1e309
wrong "step_size is 1e+39" sample --sampler hmc -o refused --step-size 1e39
wrong "did you mean 'decision-boundary'?" figure decision-boundry -o refused
wrong "which figure?" figure -o refused
wrong "no output folder" figure decision-boundary
wrong "unknown scale 'huge'" figure decision-boundary -o refused --scale huge
wrong "--iterations must be from 1 to" figure decision-boundary -o refused --iterations 0
wrong "--grid must be from 2 to 5000, not 1" figure decision-boundary -o refused --grid 1
wrong "--grid must be from 2 to 5000, not 0" figure phase-diagram -o refused --grid 0
wrong "--classes must be from 2 to 1000, not 1" figure phase-diagram -o refused --classes 1
wrong "--classes must be from 2 to 1000, not 1" figure critical-alpha -o refused --classes 1
wrong "'-0.1' is not a temperature" figure confidence-density -o refused --temperatures 1,-0.1
wrong "'-1' is not a temperature" figure wasserstein -o refused --temperatures -1,1
wrong "there must be 2 of them" figure wasserstein -o refused --temperatures 1
wrong "--clip must be from -1000000 to -1e-06, not 0" figure distribution-slices -o refused --clip 0
wrong "--alpha must be from 1e-15 to 1000000 in this figure, not -0.1" figure ndg-ridgeline -o refused --alpha -0.1
wrong "--grid must be from 20 to 5000 in this figure, not 2" figure schedule -o refused --grid 2
wrong "did you mean 'phase-diagram'?" figure phase-diagramm --help
wrong "did you mean 'all'?" figure alll -o refused
wrong "label" figure ndg-ridgeline -o refused --classes 3 --label 3
wrong "did you mean 'phase-diagram'?" figure phase-diagramm -o refused
wrong "did you mean 'wasserstein'?" figure waserstein -o refused
wrong "the figure schedule has no option --alpha" figure schedule -o refused --alpha 1
wrong "--alpha means something else for each figure" figure all -o refused --alpha 1
wrong "no output folder" figure all
# ---- several samplers ----
wrong "--steps is for --sampler hmc" sample -o refused --steps 3
wrong "--step-size is for --sampler hmc" sample -o refused --sampler sghmc --step-size 0.1
wrong "--length is for --sampler mclmc; this is --sampler hmc" sample -o refused --sampler hmc --length 0.1
wrong "--epochs is for --sampler sghmc; this is --sampler mclmc" sample -o refused --sampler mclmc --epochs 3
wrong "--lr is for --sampler sghmc; this is --sampler hmc" sample -o refused --sampler hmc --lr 0.1
wrong "did you mean 'cyclical'?" sample -o refused --schedule cyclcal
wrong "did you mean 'cosine'?" sample -o refused --temperature-schedule cosin
wrong "did you mean 'paper'?" sample -o refused --augment papr
wrong "samples is 9 and chains is 8" sample -o refused --samples 9 --chains 8
wrong "the schedule paper gives one sample per chain, but samples is 16 and chains is 8" sample -o refused --samples 16 --chains 8
wrong "the schedule paper of the temperature gives one" sample -o refused --samples 16 --chains 8 --schedule cyclical --temperature-schedule paper
wrong "4 samples in 3 epochs" sample -o refused --samples 16 --chains 4 --schedule cyclical --epochs 3
wrong "epochs is 0" sample -o refused --epochs 0
wrong "batch is 1439, more than the 1438 training observations of digits" sample -o refused --batch 1439
wrong "lr is -1" sample -o refused --lr -1
wrong "momentum is 1; expected a number of at least 0 and below 1" sample -o refused --momentum 1
wrong "temperature is -1" sample -o refused --temperature -1
wrong "logit_limit is 0" sample -o refused --logit-limit 0
wrong "--checkpoint must not be negative" sample -o refused --checkpoint -1
wrong "too many steps" sample -o refused --batch 1 --epochs 4294967295
wrong "there is no such run" sample -o refused --init nowhere/3
wrong "which is for images; toy is a table" sample -o refused --data toy --batch 18 --augment paper
ok sample --help
check "help shows the defaults of sghmc" grep -q -e "--sampler SAMPLER .*\[sghmc\]" stdout
for each in $(members samplers name); do
    check "help says what is for --sampler $each" [ "$(grep -c "^Only with --sampler $each:" stdout)" = 1 ]
done
check "help says what is chosen" grep -q -e "--iterations N .*\[auto\]" stdout
ok sample --preset paper --help
check "help has the paper's settings" grep -q -e "--lr L .*\[0.0001\]" stdout
for each in hmc mclmc; do
    ok sample --sampler $each --help
    check "help shows the defaults of $each" grep -q -e "--data DATA .*\[toy\]" stdout
    check "help shows what is for $each" grep -q -e "--steps N" stdout
    check "help shows nothing that is for others" [ -z "$(grep -e "--epochs" -e "Only with" stdout)" ]
done
check "help says what 0 stands for" grep -q -e "--length L .*; 0: tuned in warm-up \[auto\]" stdout

# costs SAMPLES CHAINS EPOCHS OPTION...: what a dry run understood.
understood() {
    python3 -c "
import json
c = json.load(open('stdout'))
assert [c['samples'], c['chains'], c['epochs']] == [$1, $2, $3], c"
}
costs() {
    expected="$1 $2 $3"
    shift 3
    ok sample --dry-run --json --model mlp:2 "$@"
    check "kelvin sample $* is samples, chains, epochs $expected" understood $expected
}
costs 8 8 5000
costs 3 3 5000 --chains 3
costs 5 5 5000 --samples 5
costs 12 4 5000 --samples 12 --chains 4 --schedule cyclical
echo '{"epochs": 30, "chains": 2}' >part.json
costs 2 2 30 --config part.json
costs 2 2 1000 --config part.json --epochs 1e3
costs 2 2 25 --config part.json --epochs 2.5E+1
costs 2 2 7 --config part.json --epochs 7
costs 3 3 30 --config part.json --samples 3
echo '{"schedule": "constant", "chains": 2, "samples": 6, "epochs": 3}' >many.json
costs 6 2 3 --config many.json
iterations() {
    python3 -c "
import json
c = json.load(open('stdout'))
assert [c['samples'], c['chains'], c['iterations']] == [$1, $2, $3], c
assert c['seconds'] > 0 and c['iterations_per_s'] > 0 and c['memory_bytes'] > 0 and c['disk_bytes'] > 0, c"
}
for each in hmc mclmc; do
    ok sample --dry-run --json --sampler $each --chains 3 --iterations 20 --steps 5
    check "what $each would cost" iterations 42 3 20
    ok sample --dry-run --sampler $each --chains 3 --iterations 20 --steps 5
    check "$each in words" grep -q "^$each: 3 chains, 42 samples, 20 iterations (the first 6 of them warm-up)," stdout
    check "settings in words" sh -c "tr '\n' ' ' <stdout | grep -q ', 5 steps per iteration, .*seed 0 '"
done
check "what 0 stands for" sh -c "tr '\n' ' ' <stdout | grep -q ', length tuned in warm-up, seed 0 '"
check "a dry run makes nothing" [ ! -e kelvin-run ]
wrong "the schedule paper gives one sample per chain" sample -o refused --config many.json --schedule paper
broken() { # TEXT ARGUMENT...
    text=$1
    shift
    run "$@"
    check "kelvin $* should fail with: $text" complained 1 "$text"
}
echo '{"model": "mpl:3", "epochs": 0, "batch": 125}' >values.json
broken "values.json: unknown model 'mpl'; did you mean 'mlp'?" sample -o refused --config values.json --epochs 3
broken "values.json: epochs is 0" sample -o refused --config values.json --model mlp:3
broken "values.json: batch is 125, more than the 18 training observations of toy; expected at most as many (--batch)" \
    sample -o refused --config values.json --model mlp:3 --epochs 3 --data toy
wrong "unknown model 'mpl'" sample -o refused --config values.json --model mpl:3 --epochs 3
wrong "kelvin sample: epochs is 0" sample -o refused --config part.json --epochs 0
echo '{"steps": 3}' >steps.json
broken 'steps.json: field "steps" is for the sampler hmc' sample -o refused --config steps.json
echo '{"epochs": "3"}' >bad.json
broken 'bad.json: field "epochs": expected a whole number' sample -o refused --config bad.json
broken 'none.json' sample -o refused --config none.json
check "wrong use makes no folder" [ ! -e refused ]
mkdir taken
wrong "already exists" sample --sampler hmc -o taken
wrong "nowhere/run" sample --sampler hmc -o nowhere/run
wrong "nowhere/figure" figure decision-boundary -o nowhere/figure
: >file
wrong "is a file" figure decision-boundary -o file
KELVIN_ISA=pdp11
export KELVIN_ISA
wrong "KELVIN_ISA=pdp11" info
wrong "KELVIN_ISA=pdp11" sample $small -o refused
unset KELVIN_ISA

# ---- sample and diagnose ----
ok sample $small -o run
check "the run has its files" [ -s run/run.json -a -s run/chain-002/samples-000.safetensors -a -s run/manifest -a -s run/logits_train.npy ]
ok diagnose run
check "diagnose warns of few effective draws" grep -q "Fewer than 100 effective draws" stdout
ok diagnose --json -- run
check "diagnose --json is JSON" json
KELVIN_ISA=pdp11
export KELVIN_ISA
for use in "resume run" "diagnose run" "eval run" "sample --config run -o refused"; do
    wrong "kelvin ${use%% *}: KELVIN_ISA=pdp11" $use # nothing is wrong with run.json
done
unset KELVIN_ISA
ok sample $small --json --output=json-run
check "sample --json is JSON" json
value() {
    python3 -c "import json, sys; print(json.load(open('stdout'))['$1'])"
}
check "30 % of the iterations are warm-up" [ "$(value warmup)" = 3 ]
check "whole numbers are written whole" grep -q "^10," run/chain-000/history.csv
check "an option is heeded as given" [ "$(value seed) $(value steps) $(value step_size)" = "7 50 0.0004" ]

# ---- the same again from run.json ----
ok sample --config run/run.json -o again
check "run.json of a run gives the same run" diff -rq --exclude=times.csv --exclude=lock run again
ok sample --config run/run.json --seed 8 --json -o again-8
check "options count for more than the file" [ "$(value seed) $(value steps) $(value warmup)" = "8 50 3" ]
ok sample --config steps.json --sampler hmc --iterations 20 --json -o follows
check "the warm-up follows the iterations" [ "$(value steps) $(value warmup)" = "3 6" ]
wrong "run/run.json is for the sampler hmc, but --sampler is sghmc" sample --config run/run.json --sampler sghmc -o refused
wrong "--lr is for --sampler sghmc" sample --config run/run.json --lr 0.1 -o refused
mkdir nameless
cd nameless || exit 1
: >kelvin-run
for folder in kelvin-run-2 kelvin-run-3; do
    ok sample --sampler hmc --iterations 4 --steps 2
    check "a run without a name becomes $folder, and says so" grep -q "the run is kept in $folder\$" stderr
    check "$folder is a run" [ -s $folder/run.json ]
done
wrong "iterations is 0" sample --sampler hmc --iterations 0
check "what is refused makes no folder" [ ! -e kelvin-run-4 ]
cd ..

# ---- the same bits ----
same() {
    diff -rq --exclude=times.csv --exclude=lock run "$1"
}
ok sample $small --threads 1 -o one
check "one thread, the same bytes" same one
ok sample $small --threads 2 -o two
check "two threads, the same bytes" same two
run info --json
python3 -c "import json; print('\n'.join(json.load(open('stdout'))['isas']))" >isas
while read -r isa; do
    [ "$isa" = x86-64 ] && continue # no fused multiply-add
    KELVIN_ISA=$isa
    export KELVIN_ISA
    ok sample $small -o "isa-$isa"
    check "$isa, the same bytes" same "isa-$isa"
    unset KELVIN_ISA
done <isas
differs() {
    ! cmp -s "run/chain-000/$1" "$2/chain-000/$1"
}
ok sample $small --seed 8 -o other
check "another seed, other draws" differs samples-000.safetensors other

# ---- failures ----
failed_with() {
    [ "$(cat code)" = 1 ] && [ "$(grep -c '^kelvin' stderr)" -eq 1 ] && grep -qF -e "$1" stderr
}
cp -r run cut
head -c 5000 run/chain-001/samples-000.safetensors >cut/chain-001/samples-000.safetensors
run diagnose cut
check "a cut samples file fails" failed_with chain-001/samples-000.safetensors
run diagnose nowhere
check "a missing run fails" failed_with nowhere
if [ -w /dev/full ]; then
    "$kelvin" info >/dev/full 2>stderr
    echo $? >code
    check "a full device fails" failed_with "standard output"
fi
# Files of at most 4 kB (or 8: what a block is depends on the shell).
(ulimit -f 8 && "$kelvin" --man >stdout 2>stderr)
echo $? >code
check "standard output that may not become larger fails" failed_with "standard output could not be written: File too large"
(ulimit -f 8 && "$kelvin" sample --preset paper $small -o large >stdout 2>stderr)
echo $? >code
check "a run whose files may not become larger fails" failed_with ".safetensors: could not be written: File too large; go on with: kelvin resume large"
ok resume large
check "and goes on when they may" same large

# ---- exit codes, of every sampler: 1 if it was stopped, 3 if a chain diverged, 0 after that ----
long_sghmc="--epochs 1000000"
long_hmc="--iterations 1000000"
long_mclmc="--iterations 1000000"
for each in sghmc hmc mclmc; do
    eval "long=\$long_$each"
    "$kelvin" sample --preset paper --sampler $each $long --checkpoint 0 -o stopped-$each >stdout 2>stderr &
    pid=$!
    while [ ! -e stopped-$each/chain-000/state.safetensors ] && kill -0 $pid 2>/dev/null; do sleep 0.05; done
    kill -TERM $pid
    wait $pid
    echo $? >code
    check "a stopped run by $each fails" [ "$(cat code)" = 1 ]
    check "and says how to go on" grep -qx "kelvin sample: stopped; stopped-$each holds everything up to now. Go on with: kelvin resume stopped-$each" stderr
    run diagnose stopped-$each
    check "and has not ended" failed_with "kelvin resume stopped-$each"
done

# At one limit of the logits some chains diverge, at a lower one all.
short_sghmc="--epochs 20 --lr 1e-3"
short_hmc="--iterations 20 --steps 20"
short_mclmc="--iterations 20 --steps 20"
partly() {
    [ "$(cat code)" = 3 ] && [ -s stdout ] && grep -q "^kelvin $1: [123] of 4 chains diverged; the report is of the other" stderr &&
        [ "$(grep -c "^chain [0-3] diverged at step" stderr)" = "$(sed -n 's/^kelvin .*: \([0-9]\) of 4 chains.*/\1/p' stderr)" ]
}
for each in sghmc hmc mclmc; do
    eval "short=\$short_$each"
    short="--sampler $each --chains 4 --seed 7 $short"
    ok sample $short -o whole-$each
    run sample $short --logit-limit 5 -o partly-$each
    check "a run by $each of which some chains diverge" partly sample
    run resume partly-$each
    check "and when it is asked again" partly resume
    run sample $short --logit-limit 1 -o none-$each
    check "a run by $each of which all chains diverge fails" [ "$(cat code)" = 1 -a ! -s stdout ]
    check "with what helps" grep -q "^kelvin sample: none-$each: all chains diverged: leave --logit-limit as it is by default, or make --" stderr
    run resume none-$each
    check "and when it is asked again" [ "$(cat code)" = 1 ]
done

# ---- figures ----
figure="figure decision-boundary --scale smoke --iterations 20 --steps 1000 --grid 40 --seed 7"
if command -v gnuplot >/dev/null; then
    ok $figure -o figure
    for suffix in .png .svg .pdf .csv -points.csv -contour.csv .gp; do
        check "figure leaves decision-boundary$suffix" [ -s "figure/decision-boundary$suffix" ]
        check "figure lists decision-boundary$suffix" grep -q "^figure/decision-boundary$suffix\$" stdout
    done
    check "the figure prints published numbers" grep -q "acceptance.* 96.3 %.* 91.5 %" stdout
    ok figure all --scale smoke --epochs 12 --samples 3 --cache runs -o all
    check "figure all says nothing on standard error but progress" [ -z "$(grep -v "%" stderr)" ]
    for each in $(cat figures); do
        for suffix in .png .svg .pdf .csv .gp; do
            check "figure all leaves $each$suffix" [ -s "all/$each$suffix" ]
            check "figure all lists $each$suffix" grep -q "^all/$each$suffix\$" stdout
        done
        check "$each.svg needs no other file" [ -z "$(grep -o "href='[^#d][^']*'\|href=\"[^#d][^\"]*\"" "all/$each.svg")" ]
    done
    check "figure all leaves nothing else" [ -z "$(ls all | grep -v "\.\(csv\|gp\|png\|svg\|pdf\|gif\)$")" ]
    ok figure schedule -o "it's \"a\" 100% folder"
    check "the name of a folder may be anything" [ -s "it's \"a\" 100% folder/schedule.pdf" ]
    check "the particles move" python3 -c "
frames = open('all/dirichlet-gradients.gif', 'rb').read()
assert frames[:6] == b'GIF89a' and frames.count(b'\\x21\\xf9\\x04') >= 20"
fi
PATH=/nonexistent "$kelvin" figure $theory --scale smoke -o bare >stdout 2>stderr
echo $? >code
check "figure all without gnuplot is a failure" failed_with "install it (apt-get install gnuplot-nox), then draw with"
for each in $theory; do
    check "figure all without gnuplot keeps $each.csv" [ -s "bare/$each.csv" -a ! -e "bare/$each.png" ]
    check "$each.csv is what the paper says" python3 "$root/tests/figures_oracle.py" bare $each
done
: >bare/schedule.png
PATH=/nonexistent "$kelvin" figure schedule -o bare >stdout 2>stderr
check "an old picture does not pass for a new one" [ ! -e bare/schedule.png ]
mkdir broken
printf '#!/bin/sh\necho broken\nexit 3\n' >broken/gnuplot
chmod +x broken/gnuplot
PATH=$work/broken:$PATH "$kelvin" figure schedule -o bare >stdout 2>stderr
echo $? >code
check "a gnuplot that fails is a failure" failed_with "see what it said in bare/schedule.log"
check "what gnuplot said is kept" grep -q broken bare/schedule.log
printf '#!/bin/sh\nkill -TERM $$\n' >broken/gnuplot
PATH=$work/broken:$PATH "$kelvin" figure schedule -o bare >stdout 2>stderr
echo $? >code
check "a gnuplot that is killed is not a missing one" failed_with "gnuplot failed"
mkdir -p taken/schedule.log
"$kelvin" figure schedule -o taken >stdout 2>stderr
echo $? >code
check "a gnuplot that cannot start is not a missing one" failed_with "gnuplot could not be started"
cat >broken/gnuplot <<'SH'
#!/bin/sh
for suffix in png svg pdf; do echo half >"${2%.gp}$3.$suffix"; done
SH
PATH=$work/broken:$PATH "$kelvin" figure schedule -o bare >stdout 2>stderr
echo $? >code
check "half a picture is a failure" failed_with "could not be written whole"
check "half a picture is not left" [ -z "$(ls bare | grep -e "[.]part" -e "schedule\.\(png\|svg\|pdf\|log\)")" ]
printf '#!/bin/sh\nkill -TERM $PPID\nsleep 0.2\nexit 1\n' >broken/gnuplot
PATH=$work/broken:$PATH "$kelvin" figure schedule -o bare >stdout 2>stderr
echo $? >code
check "who stops it is told so" failed_with "stopped by a signal"
if command -v gnuplot >/dev/null; then
    ok figure wasserstein -o -dash
    check "a folder may begin with a dash" [ -s ./-dash/wasserstein.svg ]
    cat >broken/gnuplot <<'SH'
#!/bin/sh
case $2 in *wasserstein*) exit 1 ;; esac
drawn=all/${2#most/} # pictures that the true one has drawn
for picture in "${drawn%.gp}".png "${drawn%.gp}".svg "${drawn%.gp}".pdf "${drawn%.gp}".gif; do
    [ ! -e "$picture" ] || cp "$picture" "${2%.gp}$3.${picture##*.}"
done
SH
    PATH=$work/broken:$PATH "$kelvin" figure $theory --scale smoke -o most >stdout 2>stderr
    check "figure all lists what was drawn" grep -q "^most/schedule.png\$" stdout
    check "figure all does not list what was not" [ -z "$(grep "^most/wasserstein.png\$" stdout)" -a ! -e most/wasserstein.png ]
fi
PATH=/nonexistent "$kelvin" $figure -o plain >stdout 2>stderr
echo $? >code
check "no gnuplot is a failure" failed_with "gnuplot-nox"
check "no gnuplot leaves no picture" [ ! -e plain/decision-boundary.png ]
check "no gnuplot keeps the numbers" [ -s plain/decision-boundary.csv ]
"$kelvin" $figure --threads 1 -o single >stdout 2>stderr
check "one thread, the same lattice" cmp plain/decision-boundary.csv single/decision-boundary.csv
check "one thread, the same contours" cmp plain/decision-boundary-contour.csv single/decision-boundary-contour.csv

# The lattice against plain loops over the draws of a run with the figure's settings, the contours against the lattice.
for posterior in 1.4:4e-4 0.6:5e-5; do
    ok sample --sampler hmc --density "dirclip:${posterior%:*},-50" --step-size "${posterior#*:}" --iterations 20 --steps 1000 \
        --seed 7 -o "posterior-${posterior%:*}"
done
cat >oracle.py <<'PYTHON'
import json, math, struct

def draws(folder, chains=3, warmup=6):
    for chain in range(chains):
        raw = open(f"{folder}/chain-{chain:03d}/samples-000.safetensors", "rb").read()
        size, = struct.unpack("<Q", raw[:8])
        names = json.loads(raw[8:8 + size])
        names.pop("__metadata__", None)
        names.pop("history")
        def tensor(name):
            begin, end = names[name]["data_offsets"]
            values = struct.unpack(f"<{(end - begin) // 4}f", raw[8 + size + begin:8 + size + end])
            count = len(values) // names[name]["shape"][0]
            return [values[i * count:(i + 1) * count] for i in range(warmup, names[name]["shape"][0])]
        weights = sorted(n for n in names if n.endswith("weight"))
        biases = sorted(n for n in names if n.endswith("bias"))
        yield from zip(*(list(zip(tensor(w), tensor(b))) for w, b in zip(weights, biases)))

def probability(layers, x):
    for index, (w, b) in enumerate(layers):
        n = len(x)
        x = [b[i] + sum(w[i * n + j] * x[j] for j in range(n)) for i in range(len(b))]
        if index + 1 < len(layers):
            x = [max(v, 0) for v in x]
    d = x[1] - x[0]
    return 1 / (1 + math.exp(d)) if d < 700 else 0.0

rows = [list(map(float, line.split(","))) for line in open("plain/decision-boundary.csv") if line[0] != "#"]
n = 40
assert len(rows) == n * n
for axis, low, high in ((0, 0.02, 0.97), (1, -0.93, 0.0)):
    assert abs(min(r[axis] for r in rows) - low) < 1e-6 and abs(max(r[axis] for r in rows) - high) < 1e-6
for column, alpha in ((2, "1.4"), (3, "0.6")):
    ensemble = list(draws(f"posterior-{alpha}"))
    assert len(ensemble) == 42 and len(ensemble[0]) == 6
    for row in rows[7::211]:
        # float arithmetic: logits of a few hundred times 2^-24, a few roundings deep, move p by a quarter of that
        mean = sum(probability(layers, row[:2]) for layers in ensemble) / len(ensemble)
        assert abs(mean - row[column]) < 5e-5, (alpha, row, mean)

def at(column, x, y):
    j, i = (x - 0.02) / 0.95 * (n - 1), (y + 0.93) / 0.93 * (n - 1)
    assert min(abs(j - round(j)), abs(i - round(i))) < 1e-3, "a point of the contour is not on a line of the lattice"
    j0, i0 = min(int(j + 1e-6), n - 2), min(int(i + 1e-6), n - 2)
    u, v = j - j0, i - i0
    f = lambda a, b: rows[(i0 + a) * n + j0 + b][column]
    return (1 - v) * ((1 - u) * f(0, 0) + u * f(0, 1)) + v * ((1 - u) * f(1, 0) + u * f(1, 1))

cell = math.hypot(0.95, 0.93) / (n - 1)
blocks = open("plain/decision-boundary-contour.csv").read().split("\n\n\n")
for column, alpha, block in zip((2, 3), ("1.4", "0.6"), blocks):
    crossings = sum((a[column] > 0.5) != (b[column] > 0.5)
                    for k, a in enumerate(rows) for b in ([rows[k + 1]] if (k + 1) % n else []) + rows[k + n:k + n + 1])
    met = 0
    for curve in block.split("\n\n"):
        points = [tuple(map(float, line.split(","))) for line in curve.splitlines() if line[0] != "#"]
        assert all(abs(at(column, x, y) - 0.5) < 2e-3 and a == float(alpha) for x, y, a in points)
        assert all(math.dist(p[:2], q[:2]) <= 1.001 * cell for p, q in zip(points, points[1:])), "a curve jumps"
        met += len(points) - (points[0] == points[-1])
    assert met == crossings, f"{met} points on the curves, {crossings} edges are crossed"
PYTHON
python3 oracle.py >stdout 2>stderr
echo $? >code
check "lattice and contours agree with plain loops" [ "$(cat code)" = 0 ]

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
