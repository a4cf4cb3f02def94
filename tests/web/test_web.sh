#!/bin/sh
# The explorer: its WebAssembly under Node, against the native library; then the page in a real Chromium.
#
#     test_web.sh KELVIN        in the build folder of which make web has been called
#
# What is not here (clang for WebAssembly, Node, Chromium) is said, and skipped.
set -u
kelvin=$1
here=$(cd "$(dirname "$0")" && pwd)
web=$(dirname "$kelvin")/web
work=$(mktemp -d "${TMPDIR:-/tmp}/kelvin-web-XXXXXX")
trap 'rm -rf "$work"' EXIT
skipped=77

if ! [ -e "$web/explorer.html" ]; then
    echo "skipped: the explorer was not made, for want of clang 16 or later and wasi-libc (make web brings them)"
    exit $skipped
fi

status=0
figure=3,2,10,150,24
if command -v node >/dev/null; then
    "$kelvin" info --json >"$work/families.json" &&
        "$kelvin" figure decision-boundary -o "$work" --seed 3 --chains 2 --iterations 10 --steps 150 --grid 24 >"$work/said" 2>&1 ||
        { cat "$work/said"; exit 1; }
    # Before version 21 relaxed SIMD had to be asked for.
    relaxed=
    node --v8-options | grep -q experimental-wasm-relaxed-simd && relaxed=--experimental-wasm-relaxed-simd
    for build in plain fused; do
        module=$web/plain.wasm flag=
        [ $build = fused ] && module=$web/relaxed.wasm flag=$relaxed
        node $flag "$here/library.mjs" "$module" $build "$web/known.json" "$work/families.json" $figure \
            "$work/decision-boundary.csv" || status=1
    done
else
    echo "skipped: node is not here, which runs the explorer's WebAssembly (Debian: nodejs)"
fi
python3 "$here/test_page.py" "$web/explorer.html" || status=1
exit $status
