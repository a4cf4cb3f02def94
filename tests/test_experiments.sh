#!/bin/sh
# Figures of posteriors and experiments by the command: killed again and again and called again, on 1 to 3 threads, they
# end in the bytes of an undisturbed one; what figures have in common is sampled once. Usage: test_experiments.sh KELVIN
# SOURCE_ROOT [KILLS]
. "$2/tests/shell.sh"
kills=${3:-${KELVIN_KILLS:-8}}
few="--epochs 40 --samples 3"

# figure NAME CACHE FOLDER THREADS: behind; its number is $pid. Without gnuplot there is no picture, but the numbers.
figure() {
    "$kelvin" figure "$1" $few --cache "$2" --threads "$4" -o "$3" >stdout 2>stderr &
    pid=$!
}

same() {
    cmp "$1" "$2" >stderr 2>&1
}

says() {
    grep -qF -e "$1" stdout || { echo "expected: $1" >stderr && cat stdout >>stderr && false; }
}

# ---- killed ----
figure dirclip-accuracy plain plain-figure 2
wait $pid
check "undisturbed" test -s plain-figure/dirclip-accuracy.csv
i=0 met=0
while [ $i -lt "$kills" ] && [ ! -e figures/dirclip-accuracy.csv ]; do
    figure dirclip-accuracy killed figures $((1 + i % 3))
    sleep "0.$((1 + (i * 7 + 3) % 9))"
    kill -9 $pid 2>/dev/null && met=$((met + 1))
    wait $pid 2>/dev/null
    i=$((i + 1))
done
check "killed $met times" test $met -gt 1
figure dirclip-accuracy killed figures 3
wait $pid
check "killed and called again" same figures/dirclip-accuracy.csv plain-figure/dirclip-accuracy.csv

# Stopped by a signal: a sentence, and the next call goes on.
figure ndg-accuracy plain plain-figure 1
caught $pid
kill -TERM $pid
wait $pid
echo $? >code
check "stopped" grep -q "goes on from there" stderr
check "stopped with 1" test "$(cat code)" = 1
figure ndg-accuracy plain plain-figure 2
wait $pid
check "gone on with" test -s plain-figure/ndg-accuracy.csv

# ---- shared ----
run figure model-comparison $few --cache plain --dry-run
check "a plan" test "$(cat code)" = 0
# Of its posteriors only the temperatures between 0 and 1 are its own: 0.001, 0.01, 0.1 and 0.3.
check "what others have sampled counts" says "$(($(sed -n 's/^cells *\([0-9]*\) .*/\1/p' stdout) - 4)) of them have ended"
check "and makes nothing" test ! -e model-comparison.csv
run figure posterior-size $few --cache nowhere --ready -o ready
check "nothing is there to be drawn" complained 2 "none of the posteriors of this figure is there yet"
run figure dirclip-accuracy posterior-size $few --cache plain --ready -o ready
check "what is not there keeps nobody" grep -q "^kelvin figure: posterior-size: none of" stderr
check "what is there can be drawn" same ready/dirclip-accuracy.csv plain-figure/dirclip-accuracy.csv

# ---- one's own ----
cat >cells.json <<'J'
{"data": "digits", "model": "mlp:8", "chains": 2, "epochs": 9, "lr": 0.01, "cells": [
  {"name": "cold", "temperature": 0}, {"temperature": [0.1, 1]},
  {"name": "tuned, \"twice\"", "from": "cold", "density": "dirclip:0.7,-50", "schedule": "constant"}]}
J
run experiment cells.json --cache own --dry-run
check "a plan of one's own" says "22 % less than if temperatures shared nothing"
run experiment cells.json --cache own
check "one's own cells" says cells.csv
check "a row each" test "$(wc -l <cells.csv)" = 5
check "texts are quoted" grep -q '^"tuned, ""twice""",digits_dirclip_0.7_-50_T1_[0-9a-f]*,cold,' cells.csv
cp cells.csv first.csv
run experiment cells.json --cache own --threads 1
check "the same again" same cells.csv first.csv
rm -r own/digits_categorical_T0.1_*
run experiment cells.json --cache own --threads 1
check "what was removed is sampled again" same cells.csv first.csv
# Nothing but an earlier table is replaced, and never the data.
seq 60 | awk 'BEGIN { print "x,y,label" } { print $1 * 7 % 11 "," $1 * 5 % 13 "," $1 % 2 }' >table.csv
cp table.csv table.kept
echo '{"data": "csv:table.csv", "model": "mlp:4", "chains": 2, "epochs": 3, "cells": [{"name": "a"}]}' >table.json
for options in "" "--force" "-o ./table.csv --force"; do
    run experiment table.json --cache own $options
    check "data are not replaced $options" complained 1 "table.csv: "
done
check "they are as they were" same table.csv table.kept
echo "something else" >other.csv
run experiment table.json --cache own -o other.csv
check "other files are not replaced" complained 1 "other.csv: is there already"
ln -s other.csv link.csv
run experiment table.json --cache own -o link.csv
check "links are not replaced" complained 1 "link.csv: is there already"
run experiment table.json --cache own -o nowhere/table.csv
check "a folder that is not there is seen before anything is sampled" complained 1 "nowhere/table.csv: the folder"
check "nothing was sampled" test -z "$(ls own | grep '^csv_')"
ok experiment table.json --cache own -o mine.csv
ok experiment table.json --cache own -o mine.csv
wrong "which file?" experiment
wrong "the name of the file is empty" experiment cells.json -o ''
run experiment nowhere.json
check "a file that is not there" complained 1 "nowhere.json"
run experiment cells.json --cache own -o cells.json
check "the file itself is not replaced" complained 1 "cells.json"
echo '{"cells": [{"data": "digits", "lr": -1}]}' >bad.json
run experiment bad.json --cache own
check "a cell that makes no sense" complained 1 "bad.json: cell 1: lr is -1; expected a number above 0"
echo '{"cells": [{"data": "digits", "cells": [1]}]}' >bad.json
run experiment bad.json --cache own
check "cells have no cells" complained 1 "bad.json: cell 1: field \"cells\": unknown field"
echo '{"data": "digits", "epochs": 3, "model": "mlp:4", "cells": [{"name": "a"}, {"name": "b", "from": "a", "model": "mlp:5"}]}' >bad.json
for options in --dry-run --list ""; do
    run experiment bad.json --cache other $options
    check "another network $options" complained 1 "bad.json: cell 2: it has another network than a, which it starts from"
done
check "which is seen before anything is sampled" test ! -e other
wrong "--checkpoint must not be negative" experiment cells.json --checkpoint -1

# Chains that diverged: said, and the exit code of kelvin sample.
echo '{"data": "digits", "model": "mlp:4", "chains": 6, "epochs": 3, "lr": 0.003, "prior": "normal:0.3", "cells": [
  {"name": "a", "logit_limit": 5}, {"name": "b"}]}' >limit.json
run experiment limit.json --cache own
check "some diverged" grep -q "^kelvin experiment: of 1 of 2 cells chains have diverged" stderr
check "which they are" grep -q "^a: [1-5] of 6 chains diverged" stderr
check "as kelvin sample has it" test "$(cat code)" = 3
check "the table has a row each" test "$(wc -l <limit.csv)" = 3
echo '{"data": "digits", "model": "mlp:4", "chains": 2, "epochs": 3, "cells": [{"lr": 1e10}, {"lr": 0.001}]}' >all.json
run experiment all.json --cache own
check "all diverged" grep -q "^kelvin experiment: 1 of 2 cells have no samples" stderr
check "is a failure" test "$(cat code)" = 1

# ---- figures of other data ----
tiny="--model mlp:4 --epochs 3 --samples 3 --cache own"
wrong "the figure posterior-size is about test data, and toy has none" figure posterior-size --data toy $tiny -o toy
wrong "landscapes needs three networks" figure landscapes schedule --samples 2 --cache own -o toy
check "and nothing was made" test ! -e toy
# A file's name is a text to gnuplot, and to readers of tables one line.
odd='odd `touch made` "x'"' \$(touch made).csv"
cp table.csv "$odd"
run figure posterior-size --data "$odd" $tiny -o odd
check "the name of a file" test "$(cat code)" = 0
check "is not run" test ! -e made
run figure dirclip-accuracy $few --cache killed --ready -o ready
check "all are there" test ! -s stderr
rm -r killed/digits_categorical_T0_*
run figure dirclip-accuracy $few --cache killed --ready -o ready
check "one is not" grep -q "^note: [0-9]* of [0-9]* posteriors are there; the others are left out" stderr
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
