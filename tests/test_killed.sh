#!/bin/sh
# A run that is killed again and again, inside checkpoints too, and resumed each time ends in the bytes of an
# undisturbed one; so does one that was stopped by SIGINT or SIGTERM. Nobody else may work on it in the meantime.
#
#     test_killed.sh KELVIN SOURCE_ROOT
. "$2/tests/shell.sh"

settings="--data digits --model mlp:16,16 --chains 3 --samples 6 --schedule cyclical --epochs 300 --batch 125 --lr 1e-3
    --seed 11"
often="--checkpoint 0" # at the end of each epoch: most moments are inside a checkpoint
kills=50

same() {
    diff -rq -x times.csv -x lock "$1" "$2" >stderr 2>&1
}

now() {
    date +%s.%N
}

# ---- undisturbed ----
began=$(now)
ok sample $settings $often --threads 2 -o smooth
whole=$(echo "$(now) $began" | awk '{ print $1 - $2 }')
ok sample $settings --threads 1 -o other
check "the bytes depend neither on threads nor on checkpoints" same smooth other
check "there are samples, labels, logits, states and histories of all chains, and what the data are like" [ "$(find smooth -type f | wc -l)" -eq 20 ]

# ---- killed ----
# Moments from a fixed sequence, up to an eighth of the undisturbed run's time: early ones fall into the start.
awk -v n=$((2 * kills)) -v whole="$whole" 'BEGIN { srand(6); for (i = 0; i < n; i++) printf "%.4f %d\n", whole / 8 * rand(), 1 + 3 * rand() }' >moments

# work_on RUN THREADS: begins a run or goes on with it, behind; its number is $pid.
work_on() {
    if [ -e "$1" ]; then
        "$kelvin" resume "$1" $often --threads "$2" >stdout 2>stderr &
    else
        "$kelvin" sample $settings $often --threads "$2" -o "$1" >stdout 2>stderr &
    fi
    pid=$!
}

# hit SIGNAL SECONDS: after a while; returns what the process ends with. (timeout(1) would not wait for its end.)
hit() {
    sleep "$2"
    kill -s "$1" $pid 2>/dev/null
    wait $pid 2>/dev/null
}

killed=0
amid=0
ended=0
: >troubles
while [ $killed -lt $kills ] && read -r seconds threads; do
    work_on killed "$threads"
    hit KILL "$seconds"
    case $? in
    137) killed=$((killed + 1)) ;;
    0)
        ended=$((ended + 1))
        same smooth killed || cat stderr >>troubles
        rm -r killed
        continue
        ;;
    *) cat stderr >>troubles ;;
    esac
    [ -z "$(find killed -name '*.tmp' 2>/dev/null)" ] || amid=$((amid + 1))
done <moments
ok resume killed $often --threads 2
check "the bytes of a killed run are those of an undisturbed one" same smooth killed
cp troubles stderr
check "each resume after a kill went on as if nothing had been" [ ! -s troubles ]
check "$killed of $kills kills of a run that was at work" [ $killed -eq $kills ]
check "$amid kills fell into a checkpoint; some should" [ $amid -ge 5 ]
check "no half-written file is left at the end" [ -z "$(find killed -name '*.tmp')" ]
echo "$killed kills, $amid of them in a checkpoint; $ended runs ended before their kill"

# ---- stopped ----
third=$(echo "$whole" | awk '{ print $1 / 3 }')

# told: exit 1 and one sentence that says how to go on.
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

for signal in TERM INT; do
    work_on "by-$signal" 2
    begun "by-$signal"
    "$kelvin" resume "by-$signal" >stdout-2 2>stderr-2
    code=$?
    hit $signal 0.02
    check "SIG$signal stops a run with a sentence" told $? "by-$signal"
    mv stderr-2 stderr
    check "a second process is refused while the first is at work" [ $code -eq 2 ]
    check "it is told which process is in its way" grep -q "by-$signal: another process (pid $pid) is working" stderr
    ok resume "by-$signal" --threads 1
    check "a run stopped by SIG$signal ends in the same bytes" same smooth "by-$signal"
done

# nohup asks a process to go on when its terminal is closed.
(
    trap "" HUP
    work_on by-nohup 2
    begun by-nohup
    hit HUP "$third"
)
check "a run under nohup goes on to its end" same smooth by-nohup

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
