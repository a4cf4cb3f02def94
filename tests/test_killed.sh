#!/bin/sh
# A run by each sampler that is killed again and again, inside checkpoints too, and resumed each time on 1 to 3 threads
# ends in the bytes of an undisturbed one; so does one that was stopped by SIGINT or SIGTERM. Nobody else may work on it
# in the meantime.
#
#     test_killed.sh KELVIN SOURCE_ROOT [KILLS [SAMPLER]...]
# KILLS: of each sampler; KELVIN_KILLS says the same. Without it 50 are shared among them.
. "$2/tests/shell.sh"
kills=${3:-${KELVIN_KILLS:-}}
shift 2
[ $# -gt 0 ] && shift
samplers=${*:-"sghmc hmc mclmc"}

often="--checkpoint 0" # at the end of each epoch or iteration: most moments are inside a checkpoint

# About a second each. Of all data a chain has four files of draws, and 25 draws fill one: while it is at work its state
# is as large as a file.
settings_of() {
    wide="--data toy --model mlp:200,200 --chains 3 --iterations 90 --warmup 80 --seed 11"
    case $1 in
    sghmc) echo "--sampler sghmc --data digits --model mlp:16,16 --chains 3 --samples 6 --schedule cyclical --epochs 300
        --batch 125 --lr 1e-3 --seed 11" ;;
    hmc) echo "--sampler hmc $wide --steps 10 --step-size 0.002" ;;
    mclmc) echo "--sampler mclmc $wide --steps 5" ;;
    esac
}

# Where to work: states of some MB are written in memory, if there is a folder for it, for a process that waits for a disk
# comes nowhere until it is killed. Those of some KB take no time there, and no kill would meet them.
memory=
trap 'rm -rf "$work" "$memory"' EXIT
go_to_place() {
    cd "$work" || exit 1
    [ $1 = sghmc ] && return
    [ -n "$memory" ] || memory=$(TMPDIR=/dev/shm mktemp -d 2>/dev/null) || memory=
    [ -z "$memory" ] || cd "$memory" || exit 1
}

# With run.json, data.json, manifest, labels and logits, times.csv and lock; of toy there is no test part.
files_of() {
    case $1 in
    sghmc) echo $((10 + 3 * 3)) ;;
    *) echo $((8 + 3 * 6)) ;;
    esac
}

default_kills() {
    case $1 in
    sghmc) echo 20 ;;
    *) echo 15 ;;
    esac
}

same() {
    diff -rq -x times.csv -x lock "$1" "$2" >stderr 2>&1
}

# The manifest comes last, after the logits: all that is left to do is the summary.
complete() {
    grep -q logits "$1/manifest" 2>/dev/null
}

# work_on RUN THREADS: begins a run or goes on with it, behind; its number is $pid.
work_on() {
    if [ -e "$1" ]; then
        "$kelvin" resume "$1" $often --threads "$2" >stdout 2>stderr &
    else
        "$kelvin" sample --preset paper $settings $often --threads "$2" -o "$1" >stdout 2>stderr &
    fi
    pid=$!
}

# hit SIGNAL SECONDS: after a while; returns what the process ends with. (timeout(1) would not wait for its end.)
hit() {
    sleep "$2"
    kill -s "$1" $pid 2>/dev/null
    wait $pid 2>/dev/null
}

# told CODE RUN: exit 1 and one sentence that says how to go on.
told() {
    [ "$1" -eq 1 ] && [ ! -s stdout ] && [ "$(grep -c "^kelvin .*kelvin resume $2" stderr)" -eq 1 ]
}

# begun RUN: waits until the run is there, and so is the signals' handler.
begun() {
    tries=0
    while [ ! -e "$1/times.csv" ] && [ $tries -lt 500 ]; do
        tries=$((tries + 1))
        sleep 0.02
    done
}

# ---- undisturbed ----
undisturbed() {
    ok sample $settings $often --threads 2 -o smooth
    whole=$(sed -n 's/^seconds  *//p' stdout) # without the summary
    ok sample $settings --threads 1 -o other
    check "$sampler: the bytes depend neither on threads nor on checkpoints" same smooth other
    check "$sampler: draws, labels, logits, states and histories of all chains, and what the data are like" \
        [ "$(find smooth -type f | wc -l)" -eq "$(files_of $sampler)" ]
    rm -r other
}

# ---- killed ----
# Moments from a fixed sequence, up to a quarter of the undisturbed run's time: early ones fall into the start. A run
# that is complete makes room for the next one.
killed_often() {
    awk -v n=$((3 * wanted)) -v whole="$whole" 'BEGIN { srand(6); for (i = 0; i < n; i++) printf "%.4f %d\n", whole / 4 * rand(), 1 + 3 * rand() }' >moments
    killed=0
    amid=0
    later=0
    ended=0
    : >troubles
    while [ $killed -lt $wanted ] && read -r seconds threads; do
        work_on killed "$threads"
        hit KILL "$seconds"
        code=$?
        [ $code = 0 ] || [ $code = 137 ] || cat stderr >>troubles
        if complete killed; then
            ended=$((ended + 1))
            same smooth killed || cat stderr >>troubles
            rm -r killed
            continue
        fi
        [ $code = 137 ] && killed=$((killed + 1))
        [ -z "$(find killed -name 'samples-*.safetensors' 2>/dev/null)" ] || later=$((later + 1))
        [ -z "$(find killed -name '*.tmp' 2>/dev/null)" ] || amid=$((amid + 1))
    done <moments
    if [ -e killed ]; then ok resume killed $often --threads 2; else ok sample $settings -o killed; fi
    check "$sampler: the bytes of a killed run are those of an undisturbed one" same smooth killed
    cp troubles stderr
    check "$sampler: each resume after a kill went on as if nothing had been" [ ! -s troubles ]
    check "$sampler: $killed of $wanted kills of a run that was at work" [ $killed -eq $wanted ]
    all_kills=$((all_kills + killed))
    all_amid=$((all_amid + amid))
    check "$sampler: no half-written file is left at the end" [ -z "$(find killed -name '*.tmp')" ]
    echo "$sampler: $killed kills, $amid of them in a checkpoint, $later when draws were in files; $ended runs came to their end on the way"
    rm -r killed
}

# ---- stopped ----
stopped() {
    for signal in TERM INT; do
        work_on "by-$signal" 2
        begun "by-$signal"
        "$kelvin" resume "by-$signal" >stdout-2 2>stderr-2
        code=$?
        hit $signal 0.02
        check "$sampler: SIG$signal stops a run with a sentence" told $? "by-$signal"
        mv stderr-2 stderr
        check "$sampler: a second process is refused while the first is at work" [ $code -eq 2 ]
        check "$sampler: it is told which process is in its way" \
            grep -q "by-$signal: another process (pid $pid) is working" stderr
        ok resume "by-$signal" --threads 1
        check "$sampler: a run stopped by SIG$signal ends in the same bytes" same smooth "by-$signal"
        rm -r "by-$signal"
    done
}

# nohup asks a process to go on when its terminal is closed.
under_nohup() {
    (
        trap "" HUP
        work_on by-nohup 2
        begun by-nohup
        hit HUP "$(echo "$whole" | awk '{ print $1 / 3 }')"
    )
    check "$sampler: a run under nohup goes on to its end" same smooth by-nohup
    rm -r by-nohup
}

all_kills=0
all_amid=0
for sampler in $samplers; do
    settings=$(settings_of $sampler)
    go_to_place $sampler
    wanted=${kills:-$(default_kills $sampler)}
    undisturbed
    killed_often
    stopped
    [ $sampler = sghmc ] && under_nohup
    rm -r smooth
done
check "$all_amid of $all_kills kills fell into a checkpoint; some should" [ $((25 * all_amid)) -ge $all_kills ]

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
