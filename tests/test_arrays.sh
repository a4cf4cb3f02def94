#!/bin/sh
# Data in memory and the same numbers in a file, by the command: the same draws, logits and predictions.
# Usage: test_arrays.sh KELVIN SOURCE_ROOT FIT_ARRAYS
. "$2/tests/shell.sh"
fit=$3

for sampler in sghmc hmc mclmc; do
    "$fit" write $sampler >options
    # shellcheck disable=SC2046 # they are words
    ok sample $(cat options) --data csv:table.csv -o run-$sampler
    "$fit" compare $sampler run-$sampler >memory 2>stderr
    check "$sampler: a fit in memory has the draws and logits of the command" [ $? -eq 0 ]
    ok predict run-$sampler new.csv
    sed 1d stdout | cut -d, -f6- >command
    check "$sampler: predictions are those of the command" cmp -s memory command
    check "$sampler: of all rows" [ "$(wc -l <command)" -eq 50 ]
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
