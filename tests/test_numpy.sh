#!/bin/sh
# NumPy reads what kelvin writes. Usage: test_numpy.sh KELVIN SOURCE_ROOT
. "$2/tests/shell.sh"
if ! /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
    echo "python3 or its numpy is not installed: nothing to read the files with"
    exit 77
fi
/usr/bin/python3 "$root/tests/test_numpy.py" "$kelvin"
