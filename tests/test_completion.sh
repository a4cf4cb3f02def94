#!/bin/sh
# Completion for shells: the scripts offer what `kelvin info --json` and the help texts list, and never start kelvin.
#
#     test_completion.sh KELVIN SOURCE_ROOT
. "$2/tests/shell.sh"

wrong "--completion needs a value" --completion
wrong "did you mean 'zsh'?" --completion zhs

# A kelvin that is started leaves a trace.
mkdir bin runs runs/inner "runs/inner/my run" functions
printf '#!/bin/sh\n: >"%s/started"\n' "$work" >bin/kelvin
chmod +x bin/kelvin
PATH=$work/bin:$PATH
: >"runs/inner/my run/run.json"
: >table.csv
: >"runs/table two.csv"
run info --json
mv stdout info.json

if ! command -v bash >/dev/null; then
    echo "bash is not installed: its completion was left out"
else
    ok --completion bash
    mv stdout kelvin.bash
    check "the script for bash is one" bash -n kelvin.bash
    check "what bash offers" python3 "$root/tests/test_completion.py" bash "$kelvin" "$root/tests/complete.bash"
fi

if ! command -v zsh >/dev/null; then
    echo "zsh is not installed (apt-get install zsh): its completion was left out"
else
    ok --completion zsh
    mv stdout functions/_kelvin
    check "the script for zsh is one" zsh -n functions/_kelvin
    check "what zsh offers" python3 "$root/tests/test_completion.py" zsh "$kelvin" "$root/tests/complete.zsh"
fi
check "completion does not start kelvin" [ ! -e started ]

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
