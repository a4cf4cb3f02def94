# What the shell tests share. Sourced with the arguments KELVIN SOURCE_ROOT; works in a temporary folder.
kelvin=$1
root=$2
passed=0
failed=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
# mpiruns that make the folder for their files at once may fail with "File exists" (Open MPI 4.1.4).
export OMPI_MCA_orte_tmpdir_base=$work

# check NAME COMMAND...: passes if the command succeeds.
check() {
    name=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $name" >&2
        sed 's/^/    /' stderr >&2
    fi
}

# run ARGUMENT...: leaves ./stdout, ./stderr and ./code. Runs have the paper's settings unless they say otherwise:
# choosing takes its time.
run() {
    case "$1 $*" in
    *--preset* | *--help* | *" -h"*) ;;
    "sample sample"*)
        shift
        set -- sample --preset paper "$@"
        ;;
    esac
    "$kelvin" "$@" >stdout 2>stderr
    echo $? >code
}

# caught PID: waits until the process handles SIGTERM; not forever, should it have ended.
caught() {
    i=0
    until grep -q -e '^SigCgt:.*[4-7c-f][0-9a-f]\{3\}$' -e '^State:.*Z' "/proc/$1/status" 2>/dev/null || [ $i -ge 18000 ]; do
        sleep 0.05
        i=$((i + 1))
    done
}

# complained CODE TEXT: exit code, nothing on standard output, one line on standard error that has the text in it.
complained() {
    [ "$(cat code)" = "$1" ] && [ ! -s stdout ] && [ "$(wc -l <stderr)" -eq 1 ] && grep -q "^kelvin" stderr &&
        grep -qF -e "$2" stderr
}

# wrong TEXT ARGUMENT...: wrong use.
wrong() {
    text=$1
    shift
    run "$@"
    check "kelvin $* should be refused with: $text" complained 2 "$text"
}

# ok ARGUMENT...: exit 0 and something on standard output.
good() {
    [ "$(cat code)" = 0 ] && [ -s stdout ]
}
ok() {
    run "$@"
    check "kelvin $*" good
}

json() {
    python3 -m json.tool stdout >/dev/null
}
