#!/bin/sh
# A run whose ranks are on three hosts, one of which is cut off in the middle: packets vanish. The
# job ends, and says who is gone; then the run is resumed by other numbers of ranks, and ends in the
# bytes of an undisturbed one. The hosts are network namespaces (hosts.sh).
#
#     test_hosts.sh KELVIN [SOURCE_ROOT]
# Exit 77 and a sentence where it cannot run: hosts need root, and a kelvin with MPI, mpirun.
here=$(cd "$(dirname "$0")" && pwd) || exit 1
set -- "$(cd "$(dirname "$1")" && pwd)/$(basename "$1")" "${2:-$here/../..}"
. "$2/tests/shell.sh"
export KELVIN_HOSTS="kelvin-$$" TMPDIR="$work"

hosts() {
    "$here/hosts.sh" "$@"
}
trap 'hosts remove; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

cannot() {
    echo "test_hosts.sh: skipped: $*" >&2
    exit 77
}

limit=30 # seconds in which all that is left of a job must end
settings="--preset paper --data digits --epochs 8000 --chains 4 --seed 5"

# What mpirun and its daemons do when a connection is idle: after how many seconds they ask whether
# the other is there, how often, and after how many questions without an answer it is gone. Else it
# takes them 8 minutes to find out, and 15 if a message is on its way.
attentive() {
    export OMPI_MCA_oob_tcp_keepalive_time=2 OMPI_MCA_oob_tcp_keepalive_intvl=1
    export OMPI_MCA_oob_tcp_keepalive_probes=3
}
by_default() {
    unset OMPI_MCA_oob_tcp_keepalive_time OMPI_MCA_oob_tcp_keepalive_intvl
    unset OMPI_MCA_oob_tcp_keepalive_probes
}

same() {
    diff -rq -x times.csv -x lock smooth "$1" >stderr 2>&1
}

# with_ranks N ARGUMENT...: leaves ./stdout, ./stderr and ./code, as run does. mpirun that waits for
# somebody who will not come does not end by one signal.
with_ranks() {
    ranks=$1
    shift
    timeout -k 5 120 "$here/hosts.sh" run -n "$ranks" "$kelvin" "$@" >stdout 2>stderr &
    wait $! # behind: so the test itself can be stopped meanwhile
    echo $? >code
}

# ---- processes on the hosts ----
# at_work COMMAND: those whose command line begins so.
at_work() {
    hosts left | awk -v begin="$1" '
        { line = $0; sub(/^[0-9]+ host-[a-i] /, "", line) }
        index(line, begin) == 1 { print }'
}

none_at_work() {
    [ -z "$(at_work "$@")" ]
}

# within SECONDS COMMAND...: whether it succeeds some time. What is left otherwise stands in ./left.
within() {
    end=$(($(date +%s) + $1))
    shift
    until "$@"; do
        if [ "$(date +%s)" -ge $end ]; then
            hosts left >left
            return 1
        fi
        sleep 0.2
    done
}

# ---- a run that is disturbed ----
begin() {
    "$here/hosts.sh" run -n 3 "$kelvin" sample $settings --threads 1 --checkpoint 0.1 -o "$1" \
        >stdout 2>stderr &
    mpirun=$!
}

gone() { # PID
    ! grep -q '^State:[[:space:]]*[^ZX[:space:]]' "/proc/$1/status" 2>/dev/null
}

# amid RUN: three ranks are inside a chain, or mpirun has ended.
amid() {
    [ "$(find "$1" -name state.safetensors 2>/dev/null | wc -l)" -ge 3 ] || gone $mpirun
}

complete() {
    grep -q logits "$1/manifest" 2>/dev/null
}

# disturbed RUN HOST: begins it, and cuts a host off; the process of mpirun is $mpirun.
disturbed() {
    begin "$1"
    within 60 amid "$1"
    hosts cut "$2"
    check "$1: $2 was cut off in the middle" eval "! gone $mpirun"
}

all_ended() {
    gone $mpirun && none_at_work "$kelvin"
}

# ended RUN: mpirun and all ranks, not too late; leaves ./code.
ended() {
    check "$1: mpirun and the ranks on all hosts end within $limit s" within $limit all_ended
    gone $mpirun || kill -s KILL $mpirun
    wait $mpirun
    echo $? >code
    check "$1: it has not ended as if all were well" [ "$(cat code)" -ne 0 ]
    check "$1: the run is not complete" eval "! complete $1"
}

# mended RUN HOST: a daemon there that had something to say learns only now that nobody listens.
mended() {
    hosts mend "$2"
    check "$1: nothing is left on any host once $2 is back" within 90 eval '[ -z "$(hosts left)" ]'
    [ -z "$(hosts left)" ] || sed 's/^/    /' left >&2
}

# ended_alike RUN: after it was resumed.
ended_alike() {
    check "$1: it is resumed" good
    check "$1: the bytes are those of an undisturbed run" same "$1"
    check "$1: no half-written file is left" [ -z "$(find "$1" -name '*.tmp')" ]
    rm -r "$1"
}

# ---- whether it can be tried ----
command -v mpirun >/dev/null || cannot "there is no mpirun here"
hosts make 3 2>stderr || cannot "$(cat stderr)"
with_ranks 2 sample --preset paper --data toy --epochs 2 --chains 2 -o first
! grep -q "built without MPI" stderr || cannot "this kelvin was built without MPI"
check "two ranks on two hosts" good
rm -rf first

# ---- undisturbed ----
ok sample $settings -o smooth
with_ranks 3 sample $settings --threads 1 -o spread
ended_alike spread

# ---- mpirun pays attention: the job ends wherever it is ----
attentive
disturbed lost-third host-c
ended lost-third
check "lost-third: it is said who is gone" grep -q -e 'rank 2' -e 'host-c' stderr
mended lost-third host-c
with_ranks 2 resume lost-third --threads 1
ended_alike lost-third

# The host of mpirun itself, and of rank 0: those on the other hosts are the ones that are cut off.
disturbed lost-first host-a
ended lost-first
check "lost-first: it is said who is gone" grep -q -e 'rank [12]' -e 'host-[bc]' stderr
mended lost-first host-a
with_ranks 4 resume lost-first --threads 1
ended_alike lost-first

# ---- mpirun does not: the ranks themselves find out, and end it ----
by_default
disturbed unheard host-c
ended unheard
check "unheard: kelvin says which rank is gone, and where" grep -q '^kelvin.*rank 2.*host-c' stderr
mended unheard host-c
run resume unheard --threads 2
ended_alike unheard

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
