#!/bin/sh
# Damaged folders of runs, under every command that reads them: test_damage.py says what is done to them, and how to do more of it.
#
#     test_damage.sh KELVIN SOURCE_ROOT [SANITIZERS]
# In memory, where there is such a folder, as test_faults.sh.
[ -w /dev/shm ] && export TMPDIR=/dev/shm
. "$2/tests/shell.sh"

python3 "$root/tests/test_damage.py" "$kelvin" "$root" "$3"
