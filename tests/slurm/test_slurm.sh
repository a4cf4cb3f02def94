#!/bin/sh
# The batch scripts of examples/slurm under a Slurm of one node (cluster.sh): a posterior that is cut off by its time
# limit, or thrown out by others, is put back into the queue and ends in the bytes of an undisturbed one, for each way
# to start tasks; what cannot work is not tried twice; the cells of an experiment are shared by an array of jobs.
#
#     test_slurm.sh KELVIN [LAUNCHER:TASKS]...
# LAUNCHER: srun, mpirun, or none (the batch script starts kelvin itself). Without any, those of $cases below.
#
# Slurm looks at time limits twice a minute. Runs would have to be longer than that: they are stopped by SIGSTOP soon
# after they began, and go on when the warning has come. So they are some seconds long, and the test takes a minute.
cases="none:1 srun:1 srun:2 mpirun:2 srun:4 mpirun:4"
parts=3 # jobs of the array; more than one needs kelvin experiment --part

here=$(cd "$(dirname "$0")" && pwd) || exit 1
[ $# -ge 1 ] || { echo "Usage: test_slurm.sh KELVIN [LAUNCHER:TASKS]..." >&2; exit 2; }
command=$(cd "$(dirname "$1")" && pwd)/${1##*/} || exit 2
shift
[ $# -eq 0 ] || cases=$*
for need in slurmctld slurmd munged sbatch; do
    PATH=$PATH:/usr/sbin command -v $need >/dev/null && continue
    echo "skipped: there is no $need here (Debian: slurm-wlm, munge)"
    exit 77
done

set -- "$command" "${here%/tests/slurm}"
. "$here/../shell.sh"
cluster_script=$here/cluster.sh
. "$cluster_script"
folder=$(mktemp -d) || exit 1
trap 'cluster_stop "$folder"; rm -rf "$folder" "$work"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# All jobs at once: what is frozen needs no CPU.
CLUSTER_CPUS=64 cluster_start "$folder" $$ || exit 1
export KELVIN="$kelvin"
# mpirun runs as root only if it is told so twice. Tasks that wait for others leave them the cores, of which there may
# be fewer.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1

settings="--preset paper --data digits --model mlp:20,20 --chains 4 --epochs 4000 --lr 1e-3"
short="--time=1 --signal=B:USR1@30" # the warning is due when Slurm looks for the first time

# ---- jobs ----
# submit NAME ARGUMENT...: of sbatch; leaves its number in NAME.id, its log in NAME.log.
submit() {
    name=$1
    shift
    sbatch --parsable --output="$name.log" "$@" >"$name.id" 2>stderr || cat stderr >&2
}

# posterior NAME LAUNCHER:TASKS ARGUMENT...: submits the batch script; RUN is NAME. sbatch's options end at --.
posterior() {
    name=$1
    case ${2%:*} in
    srun) LAUNCH="srun --mpi=pmix --kill-on-bad-exit=1" ;;
    mpirun) LAUNCH="mpirun --bind-to none" ;;
    none) LAUNCH= ;;
    *) LAUNCH=${2%:*} ;;
    esac
    export LAUNCH
    tasks=${2#*:}
    shift 2
    before=
    while [ "$1" != -- ]; do
        before="$before $1"
        shift
    done
    shift
    submit "$name" --ntasks="$tasks" $before "$root/examples/slurm/posterior.sbatch" "$name" "$@"
}

# shown ID FIELD
shown() {
    scontrol show job -o "$1" 2>/dev/null | tr ' ' '\n' | sed -n "s/^$2=//p" | head -n 1
}

# wait_for SECONDS COMMAND...
wait_for() {
    cluster_wait "$@" || echo "waited in vain: $*" >&2
}

# numbers NAME: the job's number; of an array the numbers of its jobs.
numbers() {
    squeue -h -r -t all -j "$(cat "$1.id")" -o %A 2>/dev/null
}

# past NUMBER: the job has ended. over NAME: all jobs of that name have.
past() {
    case $(shown "$1" JobState) in
    COMPLETED | FAILED | TIMEOUT | CANCELLED | NODE_FAIL | OUT_OF_MEMORY) ;;
    *) return 1 ;;
    esac
}
over() {
    for number in $(numbers "$1"); do past "$number" || return 1; done
}

# ended NAME CODE: all jobs of that name ended with the exit code.
ended() {
    cat "$1".log "$1"-*.log >stderr 2>/dev/null
    [ -n "$(numbers "$1")" ] || return 1
    for number in $(numbers "$1"); do
        state=$(shown "$number" JobState) code=$(shown "$number" ExitCode)
        echo "job $number: $state, $code, restarts: $(shown "$number" Restarts)" >>stderr
        [ "$code" = "$2:0" ] || return 1
        case $2:$state in
        0:COMPLETED | [1-9]*:FAILED) ;;
        *) return 1 ;;
        esac
    done
}

# requeued NAME: each of its jobs was. started_once NAME: none was.
requeued() {
    for number in $(numbers "$1"); do [ "$(shown "$number" Restarts)" -ge 1 ] || return 1; done
}
started_once() {
    for number in $(numbers "$1"); do [ "$(shown "$number" Restarts)" -eq 0 ] || return 1; done
}

same() {
    diff -rq -x times.csv -x lock "$1" "$2" >stderr 2>&1 && grep -q logits "$1/manifest"
}

# ---- frozen until they are warned ----
# tasks_of NUMBER: kelvin's processes in a job of ours.
tasks_of() {
    for task in /proc/[0-9]*/comm; do
        { read -r comm <"$task"; } 2>/dev/null || continue # not by cat: on a busy machine runs would end meanwhile
        case $comm in
        kelvin*) ;;
        *) continue ;;
        esac
        task=${task%/comm}
        grep -qzxs "SLURM_JOB_ID=$1" "$task/environ" && grep -qzxFs "SLURM_CONF=$SLURM_CONF" "$task/environ" &&
            echo "${task#/proc/}"
    done
}

# waiting NUMBER TASKS: so many processes are there that would survive a SIGUSR1.
waiting() {
    ready=0
    for task in $(tasks_of "$1"); do
        grep -q '^SigCgt:.*[2367abef][0-9a-f]\{2\}$' "/proc/$task/status" 2>/dev/null && ready=$((ready + 1))
    done
    [ $ready -ge "$2" ]
}

# begun NAME TASKS: the run is there, and so are the tasks.
begun() {
    [ -e "$1/times.csv" ] && waiting "$(cat "$1.id")" "$2"
}

to_tasks() {
    for task in $(tasks_of "$2"); do kill -"$1" "$task" 2>/dev/null; done
}

warned() {
    grep -qs "its time is nearly over" "$1"
}

# longer NUMBER: a job that was put back gets time enough, so that it is not cut again.
longer() {
    past "$1" || { [ "$(shown "$1" Restarts)" -ge 1 ] && scontrol update JobId="$1" TimeLimit=60; }
}

if ! command -v mpirun >/dev/null; then
    echo "skipped: there is no mpirun here (Debian: openmpi-bin)"
    cases=$(echo "$cases" | tr ' ' '\n' | grep -v '^mpirun:' | tr '\n' ' ')
fi

# ---- undisturbed ----
run sample $settings --threads 2 -o reference
check "a run without Slurm" good
cat >grid.json <<END
{"data": "digits", "model": "mlp:10", "chains": 2, "epochs": 1500, "lr": 0.001, "cells": [
 {"name": "first {seed}", "temperature": 0, "seed": [0, 1, 2, 3]},
 {"name": "then {seed}", "from": "first {seed}", "temperature": 1, "schedule": "constant", "seed": [0, 1, 2, 3]}]}
END
run experiment grid.json --cache whole -o whole.csv
check "an experiment without Slurm" [ "$(cat code)" = 0 ]

# ---- all at once ----
for case in $cases; do
    posterior "cut-$case" "$case" $short -- $settings
    wait_for 60 begun "cut-$case" "${case#*:}"
    to_tasks STOP "$(cat "cut-$case.id")"
done
first=${cases%% *}
posterior thrown-out "$first" -- $settings
wait_for 60 begun thrown-out 1
scontrol requeue "$(cat thrown-out.id)"
posterior wrong "$first" -- --preset paper --epochs none
posterior missing "$first" -- --preset paper --data missing.csv
posterior nothing true:1 -- $settings # a launcher that starts nothing, and says that all is well

"$kelvin" experiment --help | grep -q -e --part || parts=1
submit array $short --array=1-$parts --output=array-%a.log "$root/examples/slurm/experiment.sbatch" grid.json --cache \
    shared -o part.csv
submit table --dependency=afterok:"$(cat array.id)" "$root/examples/slurm/experiment.sbatch" grid.json --cache shared \
    -o table.csv

# squeue knows the jobs of an array by their own numbers when they have started.
started() {
    [ "$(squeue -h -r -t running -j "$(cat array.id)" -o %A | wc -l)" -eq $parts ]
}
wait_for 30 started
for number in $(numbers array); do
    wait_for 30 waiting "$number" 1
    to_tasks STOP "$number"
done

# ---- warned ----
for case in $cases; do
    wait_for 100 warned "cut-$case.log"
    to_tasks CONT "$(cat "cut-$case.id")"
done
for part in $(seq $parts); do wait_for 100 warned "array-$part.log"; done
for number in $(numbers array); do to_tasks CONT "$number"; done
for case in $cases; do wait_for 60 longer "$(cat "cut-$case.id")"; done
for number in $(numbers array); do wait_for 60 longer "$number"; done

# ---- what came of it ----
for case in $cases; do
    wait_for 200 over "cut-$case"
    check "$case: a run that is longer than its time limit ends well" ended "cut-$case" 0
    check "$case: it was put back into the queue" requeued "cut-$case"
    check "$case: kelvin stopped when it was asked to" grep -q "kelvin resume" "cut-$case.log"
    check "$case: it is the run that nobody stopped" same reference "cut-$case"
done
wait_for 200 over thrown-out
check "$first: a run that others threw out ends well" ended thrown-out 0
check "$first: it is the run that nobody stopped" same reference thrown-out
touch before
posterior thrown-out "$first" -- $settings
wait_for 60 over thrown-out
check "a run that has ended" ended thrown-out 0
check "is not sampled again" [ -z "$(find thrown-out/chain-* -newer before)" ]
wait_for 60 over wrong
check "wrong use ends the job" ended wrong 2
check "and is not tried again" started_once wrong
wait_for 60 over missing
check "what is missing ends the job" ended missing 1
check "and is not looked for again" started_once missing
wait_for 60 over nothing
check "a launcher that starts nothing is not believed" ended nothing 1

[ $parts -gt 1 ] || echo "kelvin experiment has no --part: the array is one job"
wait_for 200 over array
check "the cells of an experiment, by an array of $parts jobs" ended array 0
check "which were put back into the queue" requeued array
check "and their table is that of one process" cmp -s whole.csv part.csv
wait_for 60 over table
check "a job that finds all cells in the cache" ended table 0
check "writes the same table" cmp -s whole.csv table.csv
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
