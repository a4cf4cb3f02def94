#!/bin/sh
# What programs can see of the library is what tests/abi.txt lists; and tools/update-abi, which says so, notices changes.
#
#     test_abi.sh KELVIN SOURCE_ROOT BUILD CC...
. "$2/tests/shell.sh"
build=$3
shift 3

# ---- the list ----
check "tests/abi.txt lists what headers have" "$root/tools/update-abi" --check "$build" "$@"

# ---- who compares ----
# A copy of what it looks at, as if the version after this one were in the making.
mkdir -p copy/tests copy/tools
cp -r "$root/include" copy
cp "$root/tests/abi.txt" copy/tests
cp "$root/tools/update-abi" "$root/tools/headers.py" copy/tools
sed "s/^  version : '.*'/  version : '99.0.0'/" "$root/meson.build" >copy/meson.build
header=copy/include/kelvin/data.h
cp $header whole.h
# says TEXT: the comparison fails with it.
says() {
    ! copy/tools/update-abi --check "$build" "$@" 2>stderr && grep -q -e "$text" stderr
}
# changed SED TEXT: with that change of a header, it says so.
changed() {
    sed "$1" whole.h >$header
    text=$2
    shift 2
    ! cmp -s whole.h $header && says "$@"
}
check "a copy is the same" copy/tools/update-abi --check "$build" "$@"
check "a new function is no reason to worry" changed 's/^KELVIN_API void kelvin_data_close(.*/&\
KELVIN_API void kelvin_data_new(void);/' "Nothing that was there changed" "$@"
check "a new function is named" grep -q "^+function kelvin_data_new: void kelvin_data_new(void)\$" stderr
check "a lost function is" changed '/^KELVIN_API void kelvin_data_close(/d' "raise soversion" "$@"
check "a lost function is named" grep -q "^-function kelvin_data_close: " stderr
check "and a function that takes something else" changed 's/^KELVIN_API void kelvin_data_close(.*/KELVIN_API void kelvin_data_close(void);/' "raise soversion" "$@"
check "and a field before others" changed 's/^typedef struct kelvin_arrays {/&\
    int more;/' "raise soversion" "$@"
check "the fields behind it are named" grep -q "^+struct kelvin_arrays\.rows: offset, size 8 8\$" stderr
check "and another value of a constant" changed 's/{ KELVIN_TRAIN,/{ KELVIN_TRAIN = 7,/' "raise soversion" "$@"
check "without another soversion there is no new list" sh -c '! copy/tools/update-abi "$@" 2>stderr' sh "$build" "$@"
sed -i "s/^soversion = '\(.*\)'/soversion = '1\1'/" copy/meson.build
check "with another one there is" copy/tools/update-abi "$build" "$@"
check "which is of that version" grep -q "^soversion 1[0-9]* since 99\.0\.0\$" copy/tests/abi.txt
check "and is right" copy/tools/update-abi --check "$build" "$@"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
