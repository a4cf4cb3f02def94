#!/bin/sh
# The package for Python. Usage: test_python.sh KELVIN SOURCE_ROOT PACKAGE FILE...
# PACKAGE is the folder that kelvin is in; each FILE is one of tests/python. $PYTHON has NumPy and pytest, and what else
# is there of scikit-learn, pandas, ArviZ and torch is tested with: `make test-python` has the newest of all.
. "$2/tests/shell.sh"
package=$3
shift 3
python=${PYTHON:-/usr/bin/python3}
if ! "$python" -c 'import numpy, pytest' 2>/dev/null; then
    echo "python3, its numpy or pytest is not installed: nothing to try the package with"
    exit 77
fi
# A library under sanitizers needs them to be there before anything else.
library=$package/kelvin/libkelvin-python.so
if [ -e "$library" ] && nm -D "$library" | grep -q __asan_init; then
    export LD_PRELOAD="$(${CC:-gcc} -print-file-name=libasan.so) $(${CC:-gcc} -print-file-name=libubsan.so)"
    export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 # what Python keeps to its end is none of ours
fi
export PYTHONPATH="$package" PYTHONDONTWRITEBYTECODE=1 KELVIN="$kelvin" KELVIN_ROOT="$root"
export MPLBACKEND=Agg SCIPY_ARRAY_API=1 # no windows; scikit-learn leaves a check out without it
for file; do
    case $file in
    test_*) "$python" -m pytest -q -p no:cacheprovider -rs "$root/tests/python/$file" >out 2>&1 ;;
    *) "$python" "$root/tests/python/$file" >out 2>&1 ;;
    esac
    code=$?
    count=$(grep -Eo '[0-9]+ passed' out | tail -1 | grep -Eo '[0-9]+')
    wrong=$(grep -Eo '[0-9]+ (failed|error)' out | grep -Eo '^[0-9]+' | awk '{ n += $1 } END { print n + 0 }')
    [ $code -eq 0 ] || [ $code -eq 5 ] || [ $code -eq 77 ] || [ "$wrong" -gt 0 ] || wrong=1
    if [ "$wrong" -eq 0 ]; then grep -e '^SKIPPED' -e 'not run, since' -e 'not installed' out; else cat out >&2; fi
    passed=$((passed + ${count:-0}))
    failed=$((failed + wrong))
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
