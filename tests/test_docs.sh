#!/bin/sh
# Documentation: lines of at most 100 letters, and no page of docs/ that nothing leads to.
# Usage: test_docs.sh KELVIN SOURCE_ROOT
cd "$2" || exit 1
passed=0 failed=0
for file in *.md docs/*.md; do
    # Letters, not bytes: continuation bytes of UTF-8 do not count.
    long=$(LC_ALL=C sed 's/[\x80-\xBF]//g' "$file" | LC_ALL=C awk 'length($0) > 100 { print NR }' | tr '\n' ' ')
    if [ -z "$long" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "$file: longer than 100 letters: lines $long"; fi
done
# The code of docs/api.md is printed on A4 (kelvin(3)): 84 letters fit, beside four of indentation.
if ! grep -qE '^    .{85}' docs/api.md; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "docs/api.md: code of more than 84 letters"; fi
for file in docs/*.md; do
    if grep -q "$file" README.md; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "README.md does not lead to $file"; fi
done
# Paths that prose sends a reader to; NAME and ROOM stand for any.
for path in $(grep -ohE '`(src|include|tests|bench|examples|tools)/[a-zA-Z0-9_/.]+`' ./*.md docs/*.md | tr -d '`' | grep -vE 'NAME|ROOM' | sort -u); do
    if [ -e "$path" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "there is no $path"; fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 10 ]
