#!/bin/sh
# A run whose every call to the file system fails once, and which is killed at every one of them: a clear sentence, and
# what is resumed ends in the bytes of a run that was left alone.
#
#     test_faults.sh KELVIN SOURCE_ROOT FAULTS SANITIZER SAMPLER
# In memory, where there is such a folder: hundreds of runs that wait for a disk would take minutes.
[ -w /dev/shm ] && export TMPDIR=/dev/shm
. "$2/tests/shell.sh"
faults=$3 sampler=$5
if [ "$4" != none ]; then
    echo "built with a sanitizer, which must be loaded before all others: no faults are injected"
    exit 77
fi

# The chain of hmc has two files of draws, one of which is there before its last state: of half a million parameters two
# draws do not fit into one. Chains beside each other are those of the others.
of_sghmc='--sampler sghmc --data toy --model mlp:4 --density categorical --chains 2 --samples 2 --epochs 3 --batch 6'
of_hmc='--sampler hmc --data toy --model mlp:723,723 --chains 1 --iterations 2 --warmup 1 --steps 1'
of_mclmc='--sampler mclmc --data toy --model mlp:4 --chains 2 --iterations 3 --warmup 1 --steps 2'

# faulty FAULT ARGUMENT...: like run, with a fault (tests/faults.c). ./log is there if it has happened.
faulty() {
    fault=$1
    shift
    rm -f log
    (
        export LD_PRELOAD="$faults" KELVIN_FAULT="$fault" KELVIN_FAULT_LOG="$work/log"
        run "$@"
    )
    what="$fault ($(cat log 2>/dev/null))"
}

# Everything but the times is as in ./whole, and nothing else is there.
same() {
    diff -r -x times.csv -x lock whole RUN >stderr
}

# Nor is anything left beside it of a start that was killed.
recovered() {
    [ "$(cat code)" = 0 ] && same && tidy
}

tidy() {
    [ -d RUN ] && [ -z "$(ls -d .RUN.kelvin-* 2>/dev/null)" ]
}

# A run that has not got its name yet is started again.
recover() {
    if [ -d RUN ]; then run resume --threads "$1" RUN; else run sample $tiny -o RUN; fi
    check "$sampler: going on after $what" recovered
}

# said CODE TEXT: exit code, and a last line on standard error that has the text in it.
said() {
    [ "$(cat code)" = "$1" ] && [ ! -s stdout ] && tail -n 1 stderr | grep -q "^kelvin.*RUN.*: .*$2"
}

# every KIND REASON TEXT: each call of a kind fails once.
every() {
    n=1
    while rm -rf RUN && faulty "$1:$n:$2:RUN" sample $tiny -o RUN && [ -f log ]; do
        check "$sampler: $what should be told" said 1 "$3"
        recover 1
        n=$((n + 1))
    done
    check "$sampler: $1 is called, not only $n times" [ "$n" -gt 2 ]
}

# harmless KIND REASON: the run does not mind.
harmless() {
    for n in 1 2 3 5 8; do
        rm -rf RUN
        faulty "$1:$n:$2:RUN" sample $tiny -o RUN
        check "$fault should happen" [ -f log ]
        check "$fault should do no harm" recovered
    done
}

killed() {
    [ "$(cat code)" -gt 128 ]
}

# All of that, by one sampler.
each_call_fails() {
    rm -rf RUN whole half
    run sample $tiny -o RUN
    check "$sampler: a run that is left alone" good
    mv RUN whole

    every open EROFS "Read-only file system"
    every write ENOSPC "No space left on device"
    every truncate EIO "Input/output error"
    every fsync EIO "Input/output error"
    every close EDQUOT "Disk quota exceeded"
    every rename EIO "Input/output error"
    every mkdir EACCES "Permission denied"
    harmless write SHORT
    harmless write EINTR
    harmless fsync EINTR
    harmless open EINTR

    # Killed at every call, in the middle of every write; the other half of the work is done on two threads.
    n=1
    while rm -rf RUN && faulty "any:$n:KILL:RUN" sample $tiny -o RUN && [ -f log ]; do
        check "$fault" killed
        recover 2
        n=$((n + 1))
    done
    calls=$n
    check "$sampler: many calls, not only $calls" [ "$calls" -gt 50 ]

    # Killed half-way, and again at every call of what follows.
    rm -rf RUN
    faulty "any:$((calls / 2)):KILL:RUN" sample $tiny -o RUN
    mv RUN half
    n=1
    while rm -rf RUN && cp -r half RUN && faulty "any:$n:KILL:RUN" resume --checkpoint 0 --threads 1 RUN && [ -f log ]; do
        check "$fault on the way" killed
        recover 2
        n=$((n + 1))
    done
    check "$sampler: many calls after half of them, not only $n" [ "$n" -gt 20 ]
    echo "$sampler: $calls calls"
}

# A run that starts from another one writes its first states before it has its name.
each_call_of_a_start_fails() {
    mv whole first
    plain=$tiny tiny="$tiny --init first"
    rm -rf RUN
    run sample $tiny -o RUN
    check "$sampler: a run that starts from another" good
    mv RUN whole
    for reason in EIO KILL; do
        n=1
        while rm -rf RUN && faulty "any:$n:$reason:.RUN.kelvin-" sample $tiny -o RUN && [ -f log ]; do
            [ $reason = KILL ] && check "$fault" killed
            [ $reason = KILL ] || check "$sampler: $what should be told" said 1 "Input/output error"
            check "$what: no run should be there yet" [ ! -e RUN ]
            recover 1
            n=$((n + 1))
        done
        check "$sampler: many calls before a run has its name, not only $n" [ "$n" -gt 15 ]
    done
    rm -rf whole
    mv first whole
    tiny=$plain
}

eval "tiny=\"\$of_$sampler --threads 1 --checkpoint 0\""
each_call_fails
each_call_of_a_start_fails
[ "$sampler" = hmc ] && check "several files of draws" [ -f whole/chain-000/samples-001.safetensors ]

finish() {
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
    exit
}
[ "$sampler" = sghmc ] || finish # what follows is of no sampler

# An empty folder that another process makes at the last moment is not replaced. The first three renames are those of
# data.json, run.json and the manifest.
rm -rf RUN
faulty rename:4:TAKEN:RUN sample $tiny -o RUN
check "$fault should happen" [ -f log ]
check "a name that was taken meanwhile" complained 2 "RUN already exists; choose another name, or remove it"
check "is left to whom it belongs" [ -d RUN -a -z "$(ls -A RUN)" -a -z "$(ls -d .RUN.kelvin-* 2>/dev/null)" ]

# A second process is kept out.
if command -v flock >/dev/null; then
    rm -rf RUN
    cp -r half RUN
    echo 4711 >RUN/lock
    flock RUN/lock "$kelvin" resume RUN >stdout 2>stderr
    echo $? >code
    check "a second process should be kept out" said 2 "another process (pid 4711) is working here"
fi

# A real disk that is full, and one that cannot be written to.
mkdir disk
if mount -t tmpfs -o size=16k none disk 2>stderr; then
    trap 'cd /; umount "$work/disk"; rm -rf "$work"' EXIT
    for size in 16k 20k 24k 28k 32k 40k 48k; do
        rm -rf disk/RUN
        mount -o "remount,size=$size" disk
        run sample $tiny -o disk/RUN
        [ "$(cat code)" = 0 ] || check "a disk of $size should be full" said 1 "No space left on device"
        mount -o remount,size=1m disk
        rm -rf RUN
        [ -d disk/RUN ] && cp -r disk/RUN RUN
        what="a disk of $size"
        recover 1
    done
    rm -rf disk/RUN
    cp -r half disk/RUN
    mount -o remount,ro disk
    run resume disk/RUN
    check "a disk that is read-only" said 1 "Read-only file system"
    mount -o remount,rw disk
else
    echo "no file system of our own can be mounted here: full disks were only pretended"
fi

finish
