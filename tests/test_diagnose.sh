#!/bin/sh
# What kelvin diagnose says of runs by every sampler. Usage: test_diagnose.sh KELVIN SOURCE_ROOT
. "$2/tests/shell.sh"

has() { grep -qF -e "$1" flat; }
lacks() { ! has "$1"; }
says() { # EXPRESSION of the diagnosis d
    python3 -c "
import json
d = json.load(open('stdout'))
assert $1, d"
}
readable() { ! grep -qE '^.{80}| $' stdout; } # at most 79 letters, no spaces at the end
diagnosed() { # ARGUMENT...: as one line in ./flat
    ok diagnose "$@"
    tr -s '\n ' '  ' <stdout >flat
    check "diagnose $* fits a terminal" readable
}

small="--model mlp:5 --lr 1e-3"
ok sample $small --epochs 78 --chains 3 --samples 39 --schedule cyclical -o cycles
ok sample --lr 3e-3 --epochs 100 --chains 3 -o singles
ok sample --sampler hmc --data digits --model mlp:5 --chains 3 --iterations 30 --steps 20 --step-size 1e-3 -o digits
ok sample --sampler hmc --chains 2 --iterations 61 --steps 100 -o toy
awk -v OFS=, 'BEGIN { srand(7); print "a,b,kind"; for (i = 0; i < 1250; i++) {
    k = i % 3; print 2 * k + rand(), k - rand(), "k" k } }' >many.csv
ok sample --sampler hmc --data csv:many.csv,split=0 --model mlp:5 --chains 3 --iterations 30 --steps 20 --step-size 1e-3 -o many
ok sample --sampler mclmc --data digits --model mlp:5 --chains 3 --iterations 40 --warmup 20 --steps 20 -o microcanonical
# So many draws that a file cannot have all of them.
ok sample --sampler mclmc --data toy --model mlp:2 --chains 2 --iterations 4200 --warmup 150 --steps 1 -o files
check "several files of draws" [ "$(ls files/chain-00*/samples-00* | wc -l)" -gt 2 ]

# What would be of some chains alone, and would not say so, is not told.
cp -r toy forgetful
rm forgetful/chain-001/history.csv
ok diagnose --json forgetful
check "acceptance and energy are of all chains or of none" [ "$(grep -cE '"(acceptance|energy_error)": null' stdout)" -eq 2 ]
check "and the history that is lost is named" grep -qF "forgetful/chain-001/history.csv is missing" stdout

# ---- against NumPy and SciPy ----
runs="cycles singles digits toy many microcanonical files"
pairs=
for run in $runs; do
    ok diagnose --json $run
    cp stdout $run.json
    pairs="$pairs $run $run.json"
done
if /usr/bin/python3 -c 'import numpy, scipy' 2>/dev/null; then
    /usr/bin/python3 "$root/tests/test_diagnose.py" $pairs >stdout 2>stderr
    check "the numbers of NumPy and SciPy" [ $? = 0 ]
else
    echo "skipped: python3 has no numpy or no scipy to compare the numbers with"
fi

# ---- the screen ----
diagnosed cycles
check "rows of both" [ "$(grep -cE '^(parameters|predictions)( +[0-9.]+){7}$' stdout)" = 2 ]
check "how many chains, samples, observations" has "Of 3 chains with 13 samples each. Predictions: the probabilities of all classes at 359 test observations."
check "the farthest pair" grep -qE '^total variation +[0-9.]+ % +[0-9.]+ % +[01] and [12] +[0-9.]+ %$' stdout
check "chain by chain" [ "$(grep -cE '^     [12](  ?[0-9. ]{4}){1,2}$' stdout)" = 2 ]
check "temperatures" grep -qE '^kinetic temperature +[0-9.]+ \+- [0-9.]+   set: 1$' stdout
cp stdout first
for same in cycles/ cycles/run.json ./cycles// "--threads 1 cycles" "--threads 3 cycles"; do
    ok diagnose $same
    check "diagnose $same: the same" cmp -s first stdout
done
mkdir inside && cp -r cycles/* inside
cd inside && ok diagnose run.json && cd ..
check "in the folder itself" cmp -s first inside/stdout
ok diagnose --json --threads 3 digits
check "the same bits on any number of threads" cmp -s stdout digits.json

diagnosed many
check "of many observations, a thousand" has "at 1000 of 1250 training observations."
diagnosed digits
check "what there is to test with" has "at 359 test observations."
check "acceptance" grep -q '^acceptance  ' stdout
check "no temperature" lacks "kinetic temperature"
check "of either kind" lacks "configurational temperature"
check "energy error" grep -qE '^energy error, median +[0-9.]+$' stdout
diagnosed microcanonical
check "no acceptance, one temperature" grep -qE '^configurational temperature +[-0-9.]+ \+- [0-9.]+   set: 1$' stdout
check "and no other" lacks "kinetic"
check "nothing is accepted" lacks "acceptance"
check "errors of its energy" grep -qE '^energy error, median +[0-9.]+$' stdout
check "and their variance" grep -qE '^energy variance, median +[0-9.e-]+   mean: [0-9.e-]+; set: 0.0005$' stdout
check "which is not too large" lacks "The energy variance is"
check "whose temperatures" has "Temperatures: of the last 20 iterations of 3 chains."
diagnosed toy
check "two classes: one of them" has "the probability of the first class at 18 training observations."
check "two chains: no matrix" lacks "chain by chain"

diagnosed singles
check "one sample per chain: no table of R-hat" lacks "rank-normalised R-hat"
check "but a sentence" has "With one sample per chain, as in the paper, R-hat and effective sample sizes are not defined"
check "and agreement" grep -qE '^another most likely class .* -$' stdout
ok diagnose --json singles
check "JSON: null" says "d['predictions']['rhat_mean'] is None and d['predictions']['draws'] == 1 and d['agreement']['variation']['within'] is None"
check "JSON: notes are not advice" says "any('one sample per chain' in n['text'] and n['code'] == 'one-sample-per-chain' for n in d['notes']) and not any('one sample' in a['text'] for a in d['advice'])"

# ---- advice ----
ok sample --sampler mclmc --data digits --model mlp:5 --chains 2 --iterations 20 --steps 20 --step-size 3 -o coarse
diagnosed coarse
check "steps that are too large" grep -qE "The energy variance is [0-9.]+, far above the 0.0005 of --energy-variance: .* Make --step-size smaller\." flat
check "whose size was set" grep -qE '^energy variance, median +[0-9.e+]+   mean: [0-9.e+]+$' stdout
ok sample $small --epochs 20 --chains 1 -o alone
diagnosed alone
check "one chain" has "One chain has nothing to be compared with: use --chains 4 or more"
check "one chain: no agreement" lacks "two chains differ by"
ok sample $small --epochs 20 --chains 2 --temperature 0 -o trained
diagnosed trained
check "temperature 0" has "At temperature 0 chains are trained, not sampled"
ok sample $small --epochs 12 --chains 3 --samples 6 --schedule cyclical -o pairs
diagnosed pairs
check "two samples per chain: R-hat, and nothing that needs more" has "The rank-normalised R-hat needs at least four samples per chain; here are 2."
ok sample --model mlp:5 --epochs 30 --lr 1e-5 --chains 3 --samples 30 --schedule constant -o apart
diagnosed apart
check "chains that have not settled" grep -qE "The configurational temperature is -?[0-9.e+]+ where 1 was set: the parameters" flat
check "which does not hide that they have not met" has "The chains have not found the same predictions"

# 144 observations of three classes that are easily told apart, under a prior that is too strong for so few
awk -v OFS=, 'BEGIN { srand(5); print "a,b,kind"; for (i = 0; i < 180; i++) {
    k = i % 3; print 2 * k + rand(), k - rand(), "k" k } }' >three.csv
ok sample --data csv:three.csv --model mlp:20 --epochs 300 --lr 3e-3 --chains 6 -o flat-run
diagnosed flat-run
check "learnt next to nothing" grep -qE "learnt next to nothing: .* log-likelihood of -1\.[01][0-9]+ \(guessing: -1\.099\) and a confidence of 3[0-9.]+ % " flat
check "and what helps" has "for this model and 144 rows: use --prior auto and --lr auto."
ok sample --data csv:three.csv --model mlp:20 --epochs 300 --lr 3e-3 --chains 6 --prior normal:1 -o wide
diagnosed wide
check "which it does" lacks "next to nothing"

level() { # RUN: every epoch at temperature 1
    for file in $1/chain-*/history.csv; do
        awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) hot[i] = $i ~ /temperature/ }
            NR > 1 { for (i = 1; i <= NF; i++) if (hot[i]) $i = 1 } { print }' $file >level.csv
        cp level.csv $file
    done
    vouched $1
}
broken() { # RUN TEXT
    run diagnose $1
    check "diagnose $1 should fail with: $2" complained 1 "$2"
}
vouched() { python3 "$root/tests/vouch.py" "$1"; } # RUN: what was changed in it is right from now on
cp apart/chain-000/history.csv whole
sed '3s/$/1/' whole >apart/chain-000/history.csv
broken apart "apart/chain-000/history.csv: is not as the run left it: "
broken apart "; kelvin resume apart makes it again"
cp whole apart/chain-000/history.csv
level apart
diagnosed apart
check "chains that have not met" has "The chains have not found the same predictions"
check "in a run from a cold start" has "and a warm start with --init: the first samples are from before they had settled"
level cycles
diagnosed cycles
check "cycles that are too short" has "Give each cycle more --epochs;"
level singles
diagnosed singles
check "no advice on temperatures" lacks "temperature is"
check "a verdict at the top" [ "$(grep -c '^verdict: ' stdout)" = 1 ]

# ---- what is missing or damaged ----
rm toy/logits_train.npy
ok diagnose --json toy
check "logits that are gone are computed again" python3 -c "
import json
a, b = json.load(open('stdout')), json.load(open('toy.json'))
assert all(abs(a['predictions'][k] - b['predictions'][k]) < 1e-3 * abs(b['predictions'][k]) for k in a['predictions'])"
mv singles/chain-001/history.csv whole
sed 's/^3,[^,]*/3,fast/' whole >singles/chain-001/history.csv
vouched singles
broken singles "singles/chain-001/history.csv, line 5"
mv whole singles/chain-001/history.csv
vouched singles
cp -r singles lost
head -n 5 singles/chain-001/history.csv >lost/chain-001/history.csv
broken lost "lost/chain-001/history.csv: is not as the run left it: "
vouched lost
ok diagnose lost
tr -s '\n ' '  ' <stdout >flat
check "a history that was cut" grep -qE "lost/chain-001/history.csv ends after 4 of [0-9]+ epochs; kelvin resume lost makes it again\." flat
check "and the temperatures of the others" grep -q "of 2 chains" flat
rm lost/chain-00*/history.csv
ok diagnose lost
tr -s '\n ' '  ' <stdout >flat
check "histories that are missing" grep -qF "lost/chain-000/history.csv is missing; kelvin resume lost makes it again. 2 more chains have no whole history either." flat
ok report lost -o lost.html
check "the page has the note as well" grep -q "lost/chain-000/history.csv is missing" lost.html
run export lost --format npz --what sample_stats -o lost.npz
check "an export that needs them" complained 1 "lost/chain-000/history.csv is missing; kelvin resume lost makes it again"
cp singles/chain-000/history.csv lost/chain-000
ok report lost -o lost.html --force
# changed FILE OFFSET BYTES TEXT: what was not there when the run ended is found by its checksum, whatever it says; and
# what it says is found even if the checksum is right. It is made again.
changed() {
    cp "singles/$1" whole
    cp singles/manifest vouching
    printf "$3" | dd of="singles/$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
    broken singles "singles/$1: is not as the run left it: "
    vouched singles
    broken singles "singles/$1: $4; kelvin resume singles makes it again"
    mv vouching singles/manifest
    ok resume singles
    check "resume made $1 again" cmp -s whole "singles/$1"
}
changed labels_test.npy 152 '\115' "label 3 is 77; expected 0 .. 9"
changed logits_test.npy 128 '\000\000\300\177' "sample 0, observation 0, class 0: the logit is nan; expected a number"
cp singles/logits_test.npy singles/logits_train.npy
broken singles "singles/logits_train.npy: is not as the run left it"
vouched singles
broken singles "singles/logits_train.npy: shape is (3, 359, 10); expected"
head -c 5000 singles/logits_train.npy >singles/logits_test.npy
broken singles "singles/logits_test.npy: is not as the run left it"
vouched singles
broken singles "singles/logits_test.npy: holds"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
