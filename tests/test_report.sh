#!/bin/sh
# What kelvin says of a finished run. Usage: test_report.sh KELVIN SOURCE_ROOT
. "$2/tests/shell.sh"

has() { grep -qF -e "$1" stdout; }
lacks() { ! has "$1"; }
says() { # EXPRESSION of the report r
    python3 -c "
import json
r = json.load(open('stdout'))
assert $1, r"
}

# At most 79 letters, no spaces at the end, and two of them between what is in the columns.
readable() {
    ! grep -qE '^.{80}| $' stdout && ! grep -E '^(accuracy|confidence|log-l)' stdout | grep -qvE '  -?[0-9.]+( \+- [0-9.]+)?( %)?  +-?[0-9.]+( \+- [0-9.]+)?( %)?$'
}

small="--model mlp:5 --epochs 20 --lr 1e-3"
ok sample $small --chains 9 -o nine
grep -v '^seconds' stdout >first
check "a table has the ensemble" has "accuracy, ensemble  "
check "a table has error bars" has "log-likelihood, ensembles of 8"
check "a table fits a terminal" readable
check "percentiles have a line of their own" [ "$(grep -cE '^    10 % .. 90 % of them  +-?[0-9.]+ \.\. -?[0-9.]+( %)?  +-?[0-9.]+ \.\. -?[0-9.]+( %)?$' stdout)" = 2 ]
check "a table says what training accuracy is" has "one clean pass"
check "a table has temperatures" has "configurational temperature"
ok resume nine
grep -v '^seconds' stdout >second
check "resume says what sample said" cmp -s first second
ok resume --json nine
check "JSON has both parts" says "r['training']['observations'] == 1438 and r['test']['observations'] == 359"
check "JSON has error bars" says "r['test']['ensembles']['subsets'] == 100 and r['test']['ensembles']['samples'] == 8"
check "percentiles are in order" says \
    "all(p['low'] <= p['median'] <= p['high'] for p in (r['test']['ensembles'][k] for k in ('accuracy', 'log_likelihood')))"
check "an ensemble's log-likelihood is no worse than the mean of its samples'" says \
    "r['test']['ensemble']['mean_log_likelihood'] >= r['test']['single']['mean_log_likelihood']['mean']"
check "the sum is the mean times the observations" says \
    "abs(r['test']['ensemble']['log_likelihood'] - 359 * r['test']['ensemble']['mean_log_likelihood']) < 1e-3"
check "temperatures are of the last epoch of all chains" says \
    "r['temperatures']['epochs'] == 1 and r['temperatures']['chains'] == 9 and r['temperatures']['set'] == 1"

# The same of a run by a sampler that looks at all data.
for by in hmc mclmc; do
    ok sample --sampler $by --data digits --model mlp:5 --chains 2 --iterations 16 --warmup 6 --steps 10 -o $by
    grep -v '^seconds' stdout >first
    check "$by: a table has both parts" grep -qE '^accuracy, ensemble( +[0-9.]+ %){2}$' stdout
    check "$by: a table fits a terminal" readable
    check "$by: R-hat" grep -qE '^predictions +[0-9.]+ ' stdout
    ok resume $by
    grep -v '^seconds' stdout >second
    check "$by: resume says what sample said" cmp -s first second
    ok resume --json $by
    check "$by: JSON" says "r['training']['observations'] == 1438 and r['test']['observations'] == 359 and r['samples'] == 20 and \
r['sample_chain'] == [0] * 10 + [1] * 10 and r['diverged'] == []"
done
ok resume --json hmc
check "hmc: no temperature" says "r['temperatures'] is None and 0 <= r['acceptance'] <= 1"
ok resume --json mclmc
check "mclmc: of all iterations after the warm-up" says \
    "r['temperatures']['iterations'] == 10 and r['temperatures']['kinetic']['mean'] is None and r['acceptance'] is None"

ok sample --lr 1e-2 --epochs 39 --chains 2 -o two
check "few samples: no error bars, and it says so" has "need more than 8 samples"
check "few samples: no row of them" lacks "ensembles of 8"
ok sample --data toy --batch 18 --prior normal:1 $small --chains 1 -o one
check "no test data: no column" lacks " test"
check "one sample: no standard error" lacks "+-"
ok resume --json one
check "no test data: null" says "r['test'] is None and r['training']['single']['accuracy']['error'] is None"

# ---- warnings ----
# heated RUN KINETIC CONFIGURATIONAL ...: both of each chain's last epoch, chain after chain, and what diagnose says of
# temperatures
heated() {
    folder=$1
    shift
    i=0
    while [ $# -gt 0 ]; do
        awk -F, -v OFS=, -v k="$1" -v c="$2" '{ if (NR > 1) print l; l = $0 }
            NR == 1 { for (n = 1; n <= NF; n++) at[$n] = n }
            END { $0 = l; $at["kinetic_temperature"] = k; $at["configurational_temperature"] = c; print }' \
            $folder/chain-00$i/history.csv >heated.csv
        cp heated.csv $folder/chain-00$i/history.csv
        i=$((i + 1))
        shift 2
    done
    python3 "$root/tests/vouch.py" $folder
    ok diagnose --json $folder
    python3 -c "
import json
print(*(a['text'] for a in json.load(open('stdout'))['advice'] if 'temperature' in a['code']), sep='\n')" >flat
}
silent() { ! grep -q . flat; }
warned() { grep -qF -e "$1" flat; }
heated two 1.2 1 1.22 1.01
check "too hot" warned "The kinetic temperature is 1.21 where 1 was set: steps are too large, or gradients too noisy. Make --lr smaller or"
check "which is all" [ "$(grep -c . flat)" = 1 ]
heated two 0.8 1 0.81 1.01
check "too cold" warned "The kinetic temperature is 0.805 where 1 was set: the momenta have not warmed up. Give them more --epochs."
heated two 1.2 3 1.21 3.1
check "smaller steps before more of them" warned "Make --lr smaller or --batch larger."
check "and no contradiction" [ "$(grep -c -e '--epochs' flat)" = 0 ]
heated two 1 0.5 1 0.51
check "not settled" warned "The configurational temperature is 0.505 where 1 was set: the parameters have not settled; "
heated two 1 0.9 1 1.6
check "off by less than its error: no warning" silent
heated two 1.05 0.95 1.051 0.951
check "close: no warning" silent

# The paper's temperature is 3 x - 1 of the share x of the epochs that are done when the last one begins: 1/2.
short() { # EPOCHS TEXT OPTION...
    epochs=$1 text=$2
    shift 2
    rm -rf brief
    ok sample --model mlp:5 --chains 2 --epochs $epochs "$@" -o brief
    tr -s '\n ' '  ' <stdout >flat
    check "$epochs epochs $*: $text" warned "$text"
}
short 1 "The schedule reached temperature 0 of 1: use --epochs 6 or more, or --schedule constant."
short 2 "The schedule reached temperature 0.25 of 0.5: use --epochs 6 or more" --temperature 0.5
short 5 "reached temperature 0 of 1: use --epochs 24 or more, or --schedule constant." --samples 8 --schedule cyclical
short 2 "or --temperature-schedule constant." --schedule constant --temperature-schedule cosine
run sample --model mlp:5 --chains 2 --epochs 3 -o three
check "three epochs get there" lacks "The schedule reached"

# ---- several samples per chain ----
ok sample $small --chains 3 --samples 9 --schedule constant -o several
check "errors are over chains, and it says so" has "+-: standard error over chains; samples of one chain are not independent."
check "a cold start" has "Schedule constant: samples are from the beginning on."
ok resume --json several
check "which sample is of which chain" says "r['sample_chain'] == [0, 0, 0, 1, 1, 1, 2, 2, 2] and r['diverged'] == []"
check "a run that is only read has no seconds" says "r['seconds'] is None"
mkdir taken
mv several/chain-001/samples-00* taken
ok diagnose several
check "samples that were taken away are still in the logits" grep -qE '^predictions +[0-9.]+ ' stdout
check "but not their parameters" has "Files of samples are not in the folder any more"
mv taken/* several/chain-001
ok sample $small --chains 1 --samples 2 --schedule constant --init several/0 -o lone
check "one chain: no errors, and it says so" has "One chain has no standard errors"
check "a warm start" lacks "Schedule constant"
check "where it started" has "started from sample 0 of $work/several"
mv several 9
ok sample --dry-run $small --chains 2 --init 9
check "a run that is called as a sample" has "started from the samples of $work/9"
mv 9 several
ok resume several
check "others start at random" lacks "started from"

# ---- chains that diverged ----
# In two epochs the logits of chains 3 and 4 stay less than 1.8 apart; those of the others are 2 or more from the start.
run sample --chains 8 --epochs 2 --seed 3 --logit-limit 1.9 -o some
check "which are left out" has "- Chains 0, 1, 2, 5, 6, 7 diverged, and are left out of the report: "
ok diagnose some
check "a diverged chain has its sentence" has "chain 7 diverged at step 0"
check "and a diagnosis fits a terminal" readable
ok diagnose --json some
check "JSON has who" says "[d['chain'] for d in r['diverged']] == [0, 1, 2, 5, 6, 7] and r['sample_chain'] == [3, 4]"
check "JSON has why" says "'chain 7 diverged at step 0' in r['diverged'][5]['sentence']"
run sample --chains 2 --epochs 2 --logit-limit 0.001 --density dirichlet:0.9 -o all
check "all chains diverged: no table, but advice" [ ! -s stdout ]
check "which is one sentence" grep -q "^kelvin sample: .*: all chains diverged: use --density dirclip:0.9,-50" stderr
run resume --json all
check "sample and resume have JSON, too" says "len(r['diverged']) == 2"
for command in diagnose eval "report -o all.html" "export --format npz"; do
    run $command all
    check "all chains diverged, $command: advice" complained 1 "all chains diverged: use --density dirclip:0.9,-50"
done
printf '0,0\n' >point.csv
run predict all point.csv
check "all chains diverged, predict: advice" complained 1 "all chains diverged: use --density dirclip:0.9,-50"
run resume --json all
check "all chains diverged: JSON" says "len(r['diverged']) == 2 and r['training'] is None and r['samples'] == 0"
check "all chains diverged: exit 1" [ "$(cat code)" = 1 ]

ok sample $small --chains 2 --lr 1e-9 -o untrained
check "warnings fit a terminal" readable
check "and what helps" has "to have it found, rather than more"
check "a warning for what has not learnt" has "hardly better than chance"
check "a warning for what has not settled" has "The configurational temperature is "

# ---- a dry run beside other programs ----
# One CPU for three programs that want all of it and a chain of one thread.
cat >beside.py <<'END'
import os, subprocess, sys
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(3)]
try:
    print(subprocess.run(sys.argv[1:], capture_output=True, text=True).stdout)
finally:
    for other in others: other.kill()
END
dry() { python3 beside.py "$kelvin" sample --preset paper --dry-run --threads 1 --epochs 100000 "$@" >stdout 2>stderr; }
if [ "$(uname)" = Linux ]; then
    dry
    check "a busy machine" grep -qE "^This machine is busy: what was measured had [0-9]+ % of its CPUs; on an" stdout
    check "a dry run fits a terminal" readable
    dry --json
    check "how busy" says "0 < r['cpu_share'] < 0.7"
fi

# ---- what is missing or damaged ----
broken() { # TEXT
    run diagnose two
    check "diagnose should fail with: $1" complained 1 "$1"
}
head -c 5000 two/logits_test.npy >short
mv two/logits_test.npy whole
ok diagnose two
cp stdout computed
mv whole two/logits_test.npy
ok diagnose two
check "logits that are gone are computed again" cmp -s computed stdout
mv two/logits_test.npy whole
mv short two/logits_test.npy
broken "two/logits_test.npy: is not as the run left it: "
mv whole two/logits_test.npy
cp two/logits_test.npy two/logits_train.npy
python3 "$root/tests/vouch.py" two
broken "two/logits_train.npy: shape is (2, 359, 10); expected (samples, 1438, 10)"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
