#!/bin/sh
# Dependencies between the rooms point one way. Usage: test_includes.sh KELVIN SOURCE_ROOT
# A room may include itself, the rooms after its name here, and nothing else of ours.
cd "$2" || exit 1
allowed='
base:
ranks: base
files: base
kernels: base
data: base files kernels
fetch: base files kernels data
nn: base kernels
density: base kernels
sampler: base kernels
target: base ranks kernels nn density data sampler
run: base ranks files kernels nn density data sampler target
posterior: base ranks files kernels run nn density data sampler target
export: base files run nn density data sampler target posterior
charts: base files nn density data sampler target run posterior
experiment: base ranks files data nn run posterior fetch sampler
figures: base files kernels nn density data sampler target run posterior fetch charts experiment
report: base files kernels nn density data sampler target run posterior charts
families: base data density export figures nn posterior sampler
cli: base ranks files kernels nn density data sampler target run posterior fetch charts experiment figures export report
'
passed=0 failed=0
check() { # room, file
    ours=$(printf '%s\n' "$allowed" | sed -n "s/^$1://p")
    for used in $(sed -n 's/^ *# *include [<"]\(kelvin\/\)\{0,1\}\([a-z]*\)[/.].*/\2/p' "$2" | sort -u); do
        case " base ranks files data fetch kernels nn density sampler target run posterior export charts experiment figures report families cli " in *" $used "*) ;; *) continue ;; esac
        case " $1 $ours " in
        *" $used "*) passed=$((passed + 1)) ;;
        *) failed=$((failed + 1)); echo "$2 includes $used, which $1 must not know" ;;
        esac
    done
}
for file in src/*/*.[ch]; do
    room=${file#src/}
    check "${room%%/*}" "$file"
done
for file in include/kelvin/*.h; do
    room=${file#include/kelvin/}
    [ "$room" = family.h ] && room=base.h # which has two headers
    [ "$room" = kelvin.h ] || check "${room%.h}" "$file"
done

# The command and the examples are clients: of ours they include public headers, and what lies beside them.
for file in src/cli/*.[ch] examples/*; do
    for header in $(sed -n 's/^ *# *include *"\(.*\)".*/\1/p' "$file"); do
        case $file:$header in
        src/cli/*:cli/* | src/cli/completion.c:completion_*.h) passed=$((passed + 1)) ;;
        *) failed=$((failed + 1)); echo "$file includes \"$header\", which is private: clients include <kelvin/...>" ;;
        esac
    done
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 50 ]
