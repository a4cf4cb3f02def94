#!/bin/sh
# kelvin eval: its numbers against NumPy and SciPy, its tables, its complaints. Usage: test_eval.sh KELVIN SOURCE_ROOT
. "$2/tests/shell.sh"

has() { grep -qF -e "$1" stdout; }
lacks() { ! has "$1"; }
readable() { ! grep -qE '^.{80}| $' stdout; }
says() { # EXPRESSION of the JSON r
    python3 -c "
import json
r = json.load(open('stdout'))
assert $1, r"
}
fails() { # TEXT ARGUMENT...: what is wrong in files
    text=$1
    shift
    run "$@"
    check "kelvin $* should fail with: $text" complained 1 "$text"
}
# begun RUN: its manifest is that of a run that has not ended, which names run.json and data.json alone.
begun() {
    python3 - "$1" <<'PYTHON'
import sys, zlib
path = sys.argv[1] + "/manifest"
lines = open(path).read().splitlines(keepends=True)
kept = "".join([lines[0]] + [line for line in lines[1:-1] if line.split()[2] in ("run.json", "data.json")])
open(path, "w").write(kept + f"crc32 {zlib.crc32(kept.encode()):08x}\n")
PYTHON
}
# vouch RUN...: makes their checksums right again, where it is not them that are looked at.
vouch() { python3 "$root/tests/vouch.py" "$@"; }
# not_as_left RUN FILE: a file that was changed is seen before it is read, and resume makes it again.
not_as_left() {
    fails "$1/$2: is not as the run left it" eval $1
    check "what helps against a $2 that was changed" complained 1 "; kelvin resume $1 makes it again"
    vouch $1
}

ok info --json
cp stdout info.json
metrics=$(python3 -c "import json; print(len(json.load(open('info.json'))['metrics']))")

small="--model mlp:5 --epochs 2 --lr 1e-3"
ok sample $small --chains 24 -o many
ok sample $small --chains 1 -o one
ok sample $small --chains 5 --samples 10 --schedule cyclical --epochs 4 -o cyclical
ok sample --sampler hmc --chains 2 --iterations 50 -o hmc
ok sample --sampler mclmc --chains 3 --iterations 60 -o mclmc

# ---- numbers ----
if /usr/bin/python3 -c 'import numpy, scipy.stats' 2>/dev/null; then
    numpy() { /usr/bin/python3 "$root/tests/test_eval.py" "$@" 2>stderr; }
    # evaluate NAME PART RUN [ROWS] -- ARGUMENT...: to be compared with the logits of that part
    evaluate() {
        to=$1.json
        line=$to
        shift
        while [ "$1" != -- ]; do
            line="$line $1"
            shift
        done
        shift
        ok eval --json "$@"
        cp stdout "$to"
        echo "$line" >>lines
    }
    making=
    for run in many one cyclical; do
        evaluate $run test $run -- $run
        for kind in ties tails sure; do
            cp -r $run $run-$kind
            making="$making $kind $run-$kind"
        done
    done
    # shellcheck disable=SC2086
    check "NumPy makes logits" numpy make $making
    for run in many one cyclical; do
        for kind in ties tails sure; do
            not_as_left $run-$kind logits_test.npy
            evaluate $run-$kind test $run-$kind -- $run-$kind
        done
    done
    evaluate bins train cyclical -- --on train --bins 7 cyclical
    evaluate sizes test cyclical-ties -- --sizes cyclical-ties
    for run in hmc mclmc; do evaluate $run train $run -- $run; done
    # logits that are computed are those that were left
    cp -r many bare
    rm bare/logits_*.npy
    evaluate bare test many -- bare
    check "they took the network some time" says "0 < r['runs'][0]['seconds_in_network'] < r['runs'][0]['seconds']"

    # another data set: the first rows of the one that was trained on
    awk -v OFS=, 'BEGIN { srand(7); print "a,b,c,kind"; for (i = 0; i < 300; i++) {
        k = i % 3; print rand() + k, rand() - k, rand(), k == 0 ? "x" : k == 1 ? "y" : "z" } }' >all.csv
    head -n 51 all.csv >some.csv
    # shellcheck disable=SC2086
    ok sample $small --data csv:all.csv,split=0 --batch 50 --chains 10 -o table
    evaluate others train table 50 -- --on some.csv table
    evaluate auroc ood table 50 -- --on train --ood some.csv table
    check "NumPy and SciPy agree" numpy check <lines
else
    echo "skipped: numbers: python3 or its numpy or scipy is not installed"
fi

# ---- what was guessed ----
awk -v OFS=, 'BEGIN { srand(5); print "a,b,kind"; for (i = 0; i < 60; i++) print rand() + i % 2, rand(), i % 2 ? "x" : "y" }' >named.csv
tail -n +2 named.csv >nameless.csv
cut -d, -f1,2 nameless.csv >bare.csv
# shellcheck disable=SC2086
ok sample $small --data csv:named.csv,split=0 --batch 20 --chains 2 -o named
guessed() { # FILE...: one sentence of each
    for file in "$@"; do
        [ "$(grep -cxF "kelvin eval: $file: has no names of columns: they are taken in the order of training, 'a', 'b'" stderr)" = 1 ] || return 1
    done
}
ok eval named named --on nameless.csv --ood bare.csv --json
check "what was guessed is said, once" guessed nameless.csv bare.csv
check "labels too, and no more" [ "$(wc -l <stderr)" = 3 ]
check "JSON is JSON" json
ok eval named --on named.csv
check "names: nothing is guessed" [ ! -s stderr ]

# ---- tables ----
run eval many one --bins 1 --plot one-bin # without gnuplot, numbers and scripts are kept
check "one bin" has "Calibration error: 1 bin of equal width"
check "one bin of several runs, in a chart" grep -qF "1 bin; bars" one-bin/reliability.gp
run eval one --bins 1 --plot one-bin
check "one bin in a chart" grep -qF ", 1 bin; bars" one-bin/reliability.gp
ok eval many
check "a table fits a terminal" readable
check "a table has ensembles of 8" has "ensembles of 8"
check "a table says what was looked at" has "test: 359 observations"
ok eval one
check "one sample: no ensembles of 8" lacks "median"
check "one sample: no errors" lacks "+-"
sed -nE '/this ensemble/,$d; s/^([^ ].*[^ ])  +-?[0-9.]+ +-?[0-9.]+$/\1/p' stdout >titles
check "a table has a row for each metric" [ "$(wc -l <titles)" = "$metrics" ]
check "and none twice" [ "$(sort -u titles | wc -l)" = "$metrics" ]
ok eval hmc
check "no test part: it says so" has "the run has no test part"
mkdir elsewhere
cp -r many elsewhere/many
cp -r one a-name-that-is-rather-long-for-a-column
ok eval many elsewhere/many one hmc a-name-that-is-rather-long-for-a-column
check "several runs fit a terminal" readable
check "several runs have error bars" has "10 % .. 90 % of them"
ok eval --json many one
python3 -c "
import json
e = json.load(open('stdout'))['runs'][0]
spread = e['ensembles']['accuracy']
print('%.2f' % (100 * e['ensemble']['accuracy']))
print('%.2f' % (100 * spread['median']))
print('%.2f..%.2f' % (100 * spread['low'], 100 * spread['high']))" >expected
ok eval many one
check "the ensemble, then the median of ensembles of 8 with its range" [ "$(grep -A 2 '^accuracy' stdout |
    sed 's/    ensembles of 8, median//; s/    10 % .. 90 % of them//; s/accuracy, %//' | awk '{ print $1 }')" = "$(cat expected)" ]
check "a run of one sample has none" [ "$(grep -cE '^    (ensembles of 8, median|10 % .. 90 % of them).* -$' stdout)" = $((2 * metrics)) ]
ok eval many elsewhere/many one hmc a-name-that-is-rather-long-for-a-column
check "runs of one name have their paths" has " elsewhere/many"
check "long names are shortened" has " a-name..-column"
check "so many runs are two blocks" [ "$(grep -c '^accuracy' stdout)" = 2 ]
# columns count letters, however many bytes each has
cp -r one gr
cp -r one größe
ok eval gr größe
check "letters of several bytes" python3 -c "
lines = open('stdout', encoding='utf-8', errors='strict').read().split('\n')
head = next(l for l in lines if l.startswith(' ' * 30) and 'gr' in l)
row = next(l for l in lines if l.startswith('accuracy'))
assert len(head) == len(row) and head[46:].strip() == 'größe', (head, row)"
cp -r one ääääääääääääääää
ok eval gr ääääääääääääääää
check "no letter is cut in two" python3 -c "assert ' ' + 6 * 'ä' + '..' + 7 * 'ä' + '\n' in open('stdout', encoding='utf-8').read()"
rm -r gr* ä*
printf 'Größe,äöüß,plain,kind\n1,2,1,x\n2,1,2,y\n3,2,3,x\n' >names.csv
ok data csv:names.csv,split=0
check "columns of kelvin data, too" python3 -c "
lines = open('stdout', encoding='utf-8').read().split('\n')
at = next(i for i, l in enumerate(lines) if l.startswith('column '))
assert len({len(l) for l in lines[at:at + 4]}) == 1 and lines[at + 1].startswith('Größe '), lines"
ok eval many --threads 1
cp stdout first
ok eval many --threads 3
check "threads do not matter" cmp -s first stdout

# ---- what is off ----
ok sample --model mlp:10 --prior normal:1 --epochs 150 --lr 5e-2 --chains 8 -o fine
ok eval fine
check "a run with which all is well: no line" lacks "kelvin diagnose"
ok eval --json fine
check "nor in JSON" says "r['runs'][0]['verdict']['grade'] == 'sound' and all(w['grade'] == 'sound' for w in r['runs'][0]['warnings']) and r['runs'][0]['diverged'] == 0"
run sample --chains 8 --epochs 2 --seed 3 --logit-limit 1.9 -o some
line="some: 6 of 8 chains diverged; kelvin diagnose some says more."
for runs in some "fine some"; do
    ok eval $runs
    check "eval $runs: chains diverged" [ "$(tail -n 1 stdout)" = "$line" ]
    check "and the others did not" [ "$(grep -c 'kelvin diagnose' stdout)" = 1 ]
    ok eval --csv $runs
    check "eval --csv $runs: on standard error" [ "$(cat stderr)" = "kelvin eval: $line" ]
    check "and nothing but rows on standard output" [ "$(awk -F, 'NF != 9' stdout | wc -l)" = 0 ]
done
ok eval --json fine some
check "JSON: all advice" says \
    "[x['diverged'] for x in r['runs']] == [0, 6] and 'diverged, and are left out' in r['runs'][1]['warnings'][0]['text'] and \
    r['runs'][1]['warnings'][0]['code'] == 'chains-diverged'"
ok eval cyclical
tr -s '\n ' '  ' <stdout >flat
check "other advice" grep -qF "cyclical: The posterior has learnt next to nothing" flat
check "and where there is more" grep -qF "(kelvin diagnose cyclical says more.)" flat
check "it fits a terminal" readable
ok sample --schedule constant --epochs 3 --lr 1e-7 --chains 2 --model mlp:5 -o untaught
ok eval --json untaught
check "what was not learnt, also where test data are looked at" says \
    "any('hardly better than chance on their own training data' in w['text'] and w['code'] == 'nothing-learnt' for w in r['runs'][0]['warnings'])"
rm untaught/logits_test.npy
mkdir untaught/logits_test.npy
run eval untaught
check "logits that cannot be read" complained 1 "logits_test.npy"
check "which may be whole: nobody is told to remove them" [ "$(grep -c remove stderr)" = 0 ]
ok sample --sampler hmc --chains 4 --iterations 20 --step-size 0.5 -o stuck
ok eval --json stuck
check "HMC that does not move" says "any('of the proposals were accepted, fewer than 60 %' in w['text'] for w in r['runs'][0]['warnings'])"
cp -r fine damaged
echo x >>damaged/chain-001/history.csv
fails "damaged/chain-001/history.csv: is not as the run left it" eval damaged
vouch damaged
fails "damaged/chain-001/history.csv: has 151 rows" eval damaged
rm damaged/chain-001/history.csv
ok eval damaged
tr -s '\n ' '  ' <stdout >flat
check "a lost history is no reason for silence" grep -qF "damaged: it cannot be told whether to believe it: damaged/chain-001/history.csv is missing; kelvin resume damaged makes it again" flat

# ---- for programs ----
ok eval --csv many one
check "CSV has its header" [ "$(head -n 1 stdout)" = run,on,ood,metric,kind,value,low,high,error ]
check "CSV has a row for each run, metric and kind" [ "$(wc -l <stdout)" = $((1 + 9 * metrics)) ]
check "each metric once of each kind" [ "$(sort stdout | cut -d, -f1-5 | uniq -d | wc -l)" = 0 ]
check "every row has all columns" [ "$(awk -F, 'NF != 9' stdout | wc -l)" = 0 ]
ok eval --csv --ood digits --on train one
check "CSV names what was told apart" [ "$(grep -c '^"one","train","digits",auroc_[a-z]*,ensemble,0\.[0-9]*,,,$' stdout)" = 3 ]
check "and nothing elsewhere" [ "$(grep -c '^"one","train",,' stdout)" = $((4 * metrics)) ]
ok eval --json many one hmc
python3 -c "import json; print(*sorted(m['name'] for m in json.load(open('info.json'))['metrics']))" >names
check "JSON has every metric" says "all(sorted(x[k]) == open('names').read().split() for x in r['runs'] for k in ('single', 'ensemble'))"
check "JSON has all runs" says "[x['run'] for x in r['runs']] == ['many', 'one', 'hmc']"
check "JSON says on what" says "[x['on'] for x in r['runs']] == ['test', 'test', 'train']"
check "what is not a number is null" says "r['runs'][1]['single']['accuracy']['error'] is None"
check "entropy is the sum of its parts" says \
    "all(abs(x['ensemble']['entropy'] - x['ensemble']['aleatoric'] - x['ensemble']['epistemic']) < 1e-12 for x in r['runs'])"
check "saved logits need no network" says "r['runs'][0]['seconds_in_network'] == 0"
# Names of folders: one that is not UTF-8, and two that are too long.
latin=$(printf 'caf\351')
cp -r one "$latin"
ok eval --json "$latin"
check "a folder whose name is not UTF-8" says "[x['run'] for x in r['runs']] == ['caf\u00e9']"
printf 'a,b,kind\n1,2,x\n2,1,y\n3,2,x\n' >"$latin.csv"
fails "a text for it is not UTF-8" sample --data "csv:$latin.csv,split=0" --chains 1 -o latin
name=ääääääääääääääääää
for end in xa xb; do cp -r one $name$end; done
ok eval --json ${name}xa ${name}xb
check "short names have whole letters" says "all(len(x['name']) == 15 and x['name'].replace('\u00e4', '') in ('..x' + 'ab'[i], 'x..x') for i, x in enumerate(r['runs']))"

# ---- complaints ----
wrong "which run?" eval
wrong "the name of a run is empty" eval many ""
wrong "the name of the folder is empty" eval many --plot ""
wrong "expected one of them" eval --json --csv many
wrong "expected 1 .. 100" eval --bins 0 many
wrong "expected 1 .. 100" eval --bins 101 many
wrong "with it" eval --sizes many
fails "no-such-run" eval no-such-run
mkdir empty
fails "empty: not a run by kelvin" eval empty
fails "empty: not a run by kelvin" eval many empty
fails "has no test part" eval --on test hmc
fails "the network takes" eval --on toy many
printf 'a,b,kind\n1,2,x\n' >other.csv
fails "other.csv" eval --on other.csv many
cp -r many nan
# byte 128 + 4 (10 (359 s + i) + k): sample 2, observation 5, class 3
printf '\000\000\300\177' | dd of=nan/logits_test.npy bs=1 seek=$((128 + 4 * (10 * (359 * 2 + 5) + 3))) conv=notrunc 2>/dev/null
not_as_left nan logits_test.npy
fails "sample 2, observation 5, class 3: the logit is nan" eval nan
cp -r many short
head -c 1000 many/logits_test.npy >short/logits_test.npy
not_as_left short logits_test.npy
fails "short/logits_test.npy" eval short
cp -r many fewer
cp one/logits_test.npy fewer/
not_as_left fewer logits_test.npy
fails "holds 1 samples; expected 24" eval fewer
rm -r fewer/labels_test.npy
fails "fewer: has no labels_test.npy; kelvin resume fewer makes it again" eval fewer
cp -r many newer
sed -i 's/"kelvin": "[0-9.]*"/"kelvin": "99.0.0"/' newer/run.json
fails "newer/run.json: is not as the run left it" eval newer
vouch newer
fails "was written by kelvin 99.0.0" eval newer
cp -r many half
rm -r half/run.json
fails "half: has lost its run.json" eval half
cp -r many unfinished
rm -r unfinished/chain-003 unfinished/logits_*.npy
fails "the run has not ended" eval unfinished
fails "the run has not ended" report unfinished -o unfinished.html
begun unfinished
for command in eval diagnose; do
    ok $command unfinished
    check "$command: of the chains that have ended, and it says so" grep -qE "[0-9]+ of [0-9]+ chains have ended, and" stdout
    ok $command unfinished --json
    check "$command: and to programs" grep -q '"code": "not-ended"' stdout
done
ok report unfinished -o unfinished.html
check "a page of them says so" grep -qF "chains that have ended" unfinished.html
fails "the run has not ended" export unfinished --format npz
# logits are gone, and so are the data; then other data are there
printf 'a,b,kind\n1,2,x\n2,1,y\n3,2,x\n' >data.csv
# shellcheck disable=SC2086
ok sample --data csv:data.csv,split=0 $small --chains 1 -o gone
rm gone/logits_train.npy
ok eval gone
mv data.csv away.csv
fails "gone: has no logits_train.npy, and they cannot be computed" eval gone
sed 's/3,2,x/3,3,x/' away.csv >data.csv
fails "has changed since" eval gone

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
