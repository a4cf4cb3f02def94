#!/bin/sh
# What kelvin says of a finished run by SGHMC. Usage: test_report.sh KELVIN SOURCE_ROOT
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
ok diagnose nine
grep -v '^seconds' stdout >second
check "diagnose says what sample said" cmp -s first second
ok diagnose --json nine
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

ok sample $small --chains 2 -o two
check "few samples: no error bars, and it says so" has "need more than 8 samples"
check "few samples: no row of them" lacks "ensembles of 8"
ok sample --data toy --batch 18 --prior normal:1 $small --chains 1 -o one
check "no test data: no column" lacks " test"
check "one sample: no standard error" lacks "+-"
ok diagnose --json one
check "no test data: null" says "r['test'] is None and r['training']['single']['accuracy']['error'] is None"

ok sample $small --chains 2 --lr 1e-9 -o untrained
check "warnings fit a terminal" readable
check "a warning for what has not learnt" has "hardly better than chance"
check "a warning for what has not settled" has "The configurational temperature is more than 10 % off"

# ---- what is missing or damaged ----
broken() { # TEXT
    run diagnose two
    check "diagnose should fail with: $1" complained 1 "$1"
}
head -c 5000 two/logits_test.npy >short
mv two/logits_test.npy whole
broken "two: has no logits_test.npy: the run has not ended, or no chain came to its end; kelvin resume two goes on"
mv short two/logits_test.npy
broken "two/logits_test.npy: holds"
mv whole two/logits_test.npy
cp two/logits_test.npy two/logits_train.npy
broken "two/logits_train.npy: shape is (2, 359, 10); expected (samples, 1438, 10)"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
