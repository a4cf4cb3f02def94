#!/bin/sh
# The library has no words of the command line; the command has them, and what they quote can be pasted into a shell.
# Usage: test_words.sh KELVIN SOURCE_ROOT
. "$2/tests/shell.sh"

python3 "$root/tests/test_words.py" "$root" >found 2>stderr || echo "it failed" >>found
cat found
check "the library has no words of the command line" [ ! -s found ]

# ---- names that a shell would take for something else ----
folder="it's a \$HOME; run"
small="--model mlp:2 --epochs 2 --chains 1 --threads 1"
ok sample $small -o "$folder"
pasted() { # AFTER BEFORE: runs what the sentence in ./stderr says between these words
    line=$(sed -n "s/.*$1kelvin \(.*\)$2\$/\1/p" stderr)
    [ -n "$line" ] && eval "run $line" && [ "$(cat code)" = 0 ]
}
run sample $small -o "$folder"
check "a run that is there" complained 2 "or go on with: kelvin resume "
check "can be gone on with" pasted "or go on with: " ""
rm "$folder/labels_test.npy"
run eval "$folder"
check "what is missing" complained 1 "has no labels_test.npy; kelvin resume "
check "is made again" pasted "; " " makes it again"
check "and is there" [ -f "$folder/labels_test.npy" ]
printf x >>"$folder/chain-000/samples-000.safetensors"
run resume "$folder"
check "what is damaged" grep -qF "/chain-000, and kelvin resume 'it'\\''s a \$HOME; run' samples that chain anew" stderr
rm -r "$folder/chain-000"
check "is sampled anew" pasted "and " " samples that chain anew"
ok report "$folder" -o page.html
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
