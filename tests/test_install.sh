#!/bin/sh
# What `make install` brings, and that others can build on it: the headers, both libraries, the examples, the manual
# pages, completion.
#
#     test_install.sh KELVIN SOURCE_ROOT BUILD SANITIZERS CC...
. "$2/tests/shell.sh"
build=$3
sanitizers=$4 # as Meson has them: "address,undefined", or "none"
shift 4
CC=$*
[ "$sanitizers" != none ] || sanitizers=
strict="-Wall -Wextra -Wpedantic -Werror"
# The library's own sanitizers have to be in the program, too.
with=${sanitizers:+-fsanitize=$sanitizers}

# ---- a copy that is installed below a folder of its own ----
to=$work/to
DESTDIR=$to meson install -C "$build" --no-rebuild >log 2>stderr
check "meson install" [ $? = 0 ]
prefix=$to$(sed -n 's/^prefix=//p' "$build/meson-private/kelvin.pc")
lib=$(dirname "$(find "$to" -name libkelvin.a)")
PKG_CONFIG_SYSROOT_DIR=$to
PKG_CONFIG_PATH=$lib/pkgconfig${PKG_CONFIG_PATH+:$PKG_CONFIG_PATH}
LD_LIBRARY_PATH=$lib${LD_LIBRARY_PATH+:$LD_LIBRARY_PATH}
export PKG_CONFIG_SYSROOT_DIR PKG_CONFIG_PATH LD_LIBRARY_PATH
check "pkg-config knows kelvin" [ "$(pkg-config --modversion kelvin)" = "$("$prefix/bin/kelvin" --version | cut -d" " -f2)" ]

commands=$("$kelvin" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]\{1,\}\) .*/\1/p')
soversion=$(readlink "$lib/libkelvin.so" | sed 's/^libkelvin\.so\.//; s/\..*//')
for file in bin/kelvin share/man/man1/kelvin.1 share/man/man3/kelvin.3 share/bash-completion/completions/kelvin share/zsh/site-functions/_kelvin \
    $(for command in $commands; do echo share/man/man1/kelvin-$command.1; done) \
    $(cd "$root" && for file in examples/*; do echo share/doc/kelvin/$file; done); do
    check "make install brings $file" [ -s "$prefix/$file" ]
done
check "libkelvin.so has a soversion" [ -n "$soversion" -a -L "$lib/libkelvin.so.$soversion" ]
check "there is a page for each command and no other" [ "$(ls "$prefix/share/man/man1" | wc -l)" = "$(echo kelvin $commands | wc -w)" ]
check "kelvin-bench is not installed" [ "$(ls "$prefix/bin")" = kelvin ]

# ---- the module for MPI, from where it is installed ----
if [ -e "$lib/kelvin/kelvin-mpi.so" ] && command -v mpirun >/dev/null; then
    [ "$(id -u)" = 0 ] && as_root=--allow-run-as-root || as_root=
    ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 mpirun $as_root --oversubscribe -n 2 "$prefix/bin/kelvin" --version >stdout 2>stderr
    check "two ranks of an installed kelvin" [ "$(cat stdout)" = "$("$kelvin" --version)" ]
fi

# ---- kelvin(3) ----
page=$prefix/share/man/man3/kelvin.3
if groff -man -Tps -P-pa4 "$page" >page.ps 2>stderr; then
    check "kelvin(3) fits on two pages of A4" [ "$(sed -n 's/^%%Pages: //p' page.ps)" -le 2 ]
else
    echo "groff cannot print (apt-get install groff): the pages of kelvin(3) were not counted"
fi
: >stderr
if command -v mandoc >/dev/null; then check "kelvin(3) is clean" [ -z "$(mandoc -Tlint "$page")" ]; fi

# ---- headers, each alone ----
# compiles LANGUAGE STANDARD HEADER
compiles() {
    echo "#include <kelvin/$3>" >alone.$1
    case $1 in c) compiler=$CC ;; *) compiler=$CXX ;; esac
    $compiler -std=$2 $strict -fsyntax-only $(pkg-config --cflags kelvin) alone.$1 2>stderr
}
CXX=
for each in $(echo "$CC" | sed 's/.*clang$/clang++/; s/.*gcc$/g++/; s/.*cc$/c++/') c++ g++ clang++; do
    [ -z "$CXX" ] && [ -n "$each" ] && command -v "$each" >/dev/null && CXX=$each
done
[ -n "$CXX" ] || echo "there is no C++ compiler: headers and examples were tried as C alone"
for header in "$root"/include/kelvin/*.h; do
    header=$(basename "$header")
    check "make install brings $header" [ -s "$prefix/include/kelvin/$header" ]
    [ "$header" = kelvin.h ] ||
        check "kelvin.h includes $header" grep -qx "#include <kelvin/$header>" "$root/include/kelvin/kelvin.h"
    check "$header alone is C11" compiles c c11 "$header"
    [ -z "$CXX" ] || check "$header alone is C++17" compiles cpp c++17 "$header"
done
check "no header but these" [ "$(ls "$prefix/include/kelvin" | grep -vx version.h)" = "$(ls "$root/include/kelvin" | grep 'h$')" ]

# ---- symbols ----
# Names without those that compilers add: of sanitizers, of constructors.
defined() {
    nm "$@" --defined-only | awk 'NF == 3 { print $3 }' | grep -v '^__\|^_init$\|^_fini$\|^_edata$\|^_end$' | sort -u
}
defined -D "$lib/libkelvin.so" >exported
defined -g "$lib/libkelvin.a" >archived
"$root/tools/update-abi" --functions "$prefix/include" | sort >declared
"$root/tools/update-abi" --unmarked "$prefix/include" >stderr
check "every function in a header is KELVIN_API" [ ! -s stderr ]
check "libkelvin.so exports something" [ -s exported ]
check "libkelvin.so exports kelvin_* alone" [ -z "$(grep -v '^kelvin_' exported)" ]
comm -3 exported declared >stderr
check "libkelvin.so exports what headers declare as KELVIN_API, and nothing else" [ ! -s stderr ]
grep -v '^kelvin_' archived >stderr
check "global names of libkelvin.a begin kelvin_" [ ! -s stderr ]
: >stderr

check "docs/api.md names functions that there are" python3 "$root/tests/test_api.py" "$root/docs/api.md" exported "$prefix/include" 2>stderr

# ---- programs ----
# link_flags shared|static
link_flags() {
    case $1 in
    shared) pkg-config --cflags --libs kelvin ;;
    static) pkg-config --static --cflags --libs kelvin | sed 's/-lkelvin/-l:libkelvin.a/' ;;
    esac
}
links_to() { # PROGRAM shared|static: whether it needs libkelvin.so just then
    ldd "$1" | grep -q libkelvin && [ "$2" = shared ] || { ! ldd "$1" | grep -q libkelvin && [ "$2" = static ]; }
}
asan=
echo 'int main(void) { return 0; }' >empty.c
[ -n "$with" ] || ! $CC -fsanitize=address empty.c -o empty 2>stderr || ! ./empty 2>stderr || asan=asan
: >stderr

# A host with functions of its own that are called like some that we had.
for how in shared static; do
    check "the host compiles, $how" $CC -std=c11 $strict $with "$root/tests/host.c" $(link_flags $how) -o host-$how 2>stderr
    check "the host is linked, $how" links_to ./host-$how $how
    check "the host runs, $how" ./host-$how 2>stderr
done

# The lines of docs/api.md that are a whole program but for its data.
python3 "$root/tests/test_api.py" "$root/docs/api.md" >overview.c
for how in shared static; do
    check "the program of docs/api.md, $how" $CC -std=c11 $strict $with overview.c $(link_flags $how) -o overview 2>stderr
    check "the program of docs/api.md runs, $how" ./overview 2>stderr
done

# expected FILE: the lines below "prints:" in the comment on its top.
expected() {
    sed -n '/prints:$/,/\*\/$/s/^ \*     //p' "$1"
}
# commands FILE: how it is compiled and run, as the lines above say it.
commands() {
    sed -n '1,/prints:$/s/^ \*     //p' "$1"
}
# example FILE HOW FLAGS: compiled, run, and what it prints is what it says. In a folder of its own.
example() {
    program=$(basename "$1" | sed 's/\..*//')
    rm -rf "in-$program"
    mkdir "in-$program"
    cp "$1" "in-$program"
    commands "$1" | sed "s|^cc |$CC |; s|^c++ |$CXX |; s|\$(pkg-config --cflags --libs kelvin)|$3 $(link_flags $2)|" >commands
    : >all-printed
    while read -r line; do
        (cd "in-$program" && eval "$line" </dev/null) >printed 2>stderr || return 1
        case $line in ./*) cat printed >>all-printed ;; esac
    done <commands
    links_to "in-$program/$program" $2 || return 1
    expected "$1" >expected
    [ -s expected ] && diff expected all-printed >>stderr
}
PATH=$prefix/bin:$PATH # for those that ask for a run
ASAN_OPTIONS=detect_leaks=1
export ASAN_OPTIONS
for file in "$prefix"/share/doc/kelvin/examples/*.c "$prefix"/share/doc/kelvin/examples/*.cpp; do
    case $file in *.cpp) [ -n "$CXX" ] || continue ;; esac
    for how in shared static; do
        check "the example $(basename "$file"), $how" example "$file" $how "$strict $with"
    done
    [ -z "$asan" ] || check "the example $(basename "$file"), under ASan" example "$file" shared "$strict -fsanitize=address"
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
