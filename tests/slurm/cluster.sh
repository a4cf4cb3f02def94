#!/bin/sh
# A Slurm of one node in a folder of its own: its own key, daemons, ports and state. It needs neither systemd nor
# /etc/slurm, and any number of them can run beside each other. Debian: slurm-wlm, munge.
#
#     cluster.sh start DIR [PID]     DIR is made, or is empty; when the process PID has ended, the cluster is stopped
#     cluster.sh stop DIR            jobs too; what is in DIR stays
#     cluster.sh with COMMAND...     starts one in a temporary folder, runs the command in it, and removes both
#
# Commands find it by SLURM_CONF=DIR/slurm.conf. Sourced, it only defines cluster_start and cluster_stop, which do the
# same; cluster_script is then the path of this file.
# CLUSTER_CPUS: how many CPUs the node says it has; by default 4, or all where there are more. Slurm does not bind tasks
# to them here, so that there may be fewer.

# Daemons live in sbin, which is not on everyone's path.
PATH=$PATH:/usr/sbin:/sbin

cluster_say() {
    echo "cluster: $*" >&2
}

# A port on which nobody listens. They are below those that the kernel gives to outgoing connections.
cluster_port() {
    cluster_try=${1:-0}
    while :; do
        cluster_candidate=$((20000 + ($$ * 7 + cluster_try * 13) % 10000))
        cluster_hex=$(printf ':%04X ' $cluster_candidate)
        grep -qs "$cluster_hex" /proc/net/tcp /proc/net/tcp6 || break
        cluster_try=$((cluster_try + 1))
    done
    echo $cluster_candidate
}

# cluster_configure DIR
cluster_configure() {
    cluster_host=$(uname -n)
    cluster_host=${cluster_host%%.*}
    cluster_processors=$(getconf _NPROCESSORS_ONLN)
    [ "$cluster_processors" -ge 4 ] || cluster_processors=4
    cluster_processors=${CLUSTER_CPUS:-$cluster_processors}
    cluster_megabytes=$(awk '/^MemTotal:/ { print int($2 / 1024) }' /proc/meminfo)
    mkdir "$1/state" "$1/spool" "$1/log" || return 1
    cluster_first=$(cluster_port 0)
    cat >"$1/slurm.conf" <<END
ClusterName=kelvin
SlurmctldHost=$cluster_host(127.0.0.1)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
SlurmctldPort=$cluster_first
SlurmdPort=$(cluster_port 500)
# cred_expire is also how long a requeued job waits before it starts again: 120 s unless said otherwise.
AuthType=auth/munge
AuthInfo=socket=$1/munge/socket,cred_expire=5
# PMIx and Open MPI make folders in /tmp that are called by numbers of jobs: two clusters would meet there.
FirstJobId=$((cluster_first * 1000 + 1))
StateSaveLocation=$1/state
SlurmdSpoolDir=$1/spool
SlurmctldPidFile=$1/slurmctld.pid
SlurmdPidFile=$1/slurmd.pid
SlurmctldLogFile=$1/log/slurmctld
SlurmdLogFile=$1/log/slurmd
MailProg=/bin/true
# Tasks are found by their parents: ranks that mpirun starts have process groups of their own.
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/none
MpiDefault=none
JobRequeue=1
KillWait=10
OverTimeLimit=0
UnkillableStepTimeout=60
ReturnToService=2
SlurmdTimeout=60
InactiveLimit=0
MinJobAge=600
# Slurm may otherwise let a job wait for half a minute that could start at once.
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,bf_interval=1,sched_interval=1,sched_min_interval=0
# As many CPUs as it says below, whatever slurmd finds.
SlurmdParameters=config_overrides
NodeName=$cluster_host NodeAddr=127.0.0.1 CPUs=$cluster_processors RealMemory=$cluster_megabytes State=UNKNOWN
PartitionName=all Nodes=$cluster_host Default=YES MaxTime=INFINITE State=UP
END
}

# cluster_munge DIR: munged refuses a folder that others may write to, and root is asked to be someone else.
cluster_munge() {
    mkdir "$1/munge" && chmod 755 "$1/munge" || return 1
    dd if=/dev/urandom of="$1/munge/key" bs=128 count=1 2>/dev/null && chmod 400 "$1/munge/key" || return 1
    set -- "$1" munged --key-file="$1/munge/key" --socket="$1/munge/socket" --pid-file="$1/munge/pid" \
        --seed-file="$1/munge/seed" --log-file="$1/munge/log"
    cluster_dir=$1
    shift
    if [ "$(id -u)" -eq 0 ] && id munge >/dev/null 2>&1; then
        chown -R munge: "$cluster_dir/munge"
        set -- setpriv --reuid="$(id -u munge)" --regid="$(id -g munge)" --clear-groups "$@"
    fi
    # Standard output and error of daemons would keep a pipe to us open.
    "$@" >"$cluster_dir/munge/output" 2>&1 </dev/null
}

# cluster_wait SECONDS COMMAND...: until it succeeds.
cluster_wait() {
    cluster_tries=$(($1 * 10))
    shift
    until "$@" >/dev/null 2>&1; do
        cluster_tries=$((cluster_tries - 1))
        [ $cluster_tries -gt 0 ] || return 1
        sleep 0.1
    done
}

cluster_idle() {
    sinfo -h -o %T | grep -qx idle
}

# cluster_alive PID: whoever has ended and was not asked how does not count.
cluster_alive() {
    grep -qs '^State:[[:space:]]*[^ZX[:space:]]' "/proc/$1/status"
}

# cluster_guard DIR PID: stops the cluster when the process has ended, be it by SIGKILL. In a session of its own, so
# that what ends the process's group does not end the guard.
cluster_guard() {
    setsid sh -c 'exec >/dev/null 2>&1 </dev/null
        trap "" HUP INT TERM
        . "$1"
        while cluster_alive "$3" && [ -e "$2/running" ]; do sleep 1; done
        cluster_stop "$2"' guard "$cluster_script" "$1" "$2" >/dev/null 2>&1 </dev/null &
}

# cluster_start DIR [PID]: exports SLURM_CONF, too.
cluster_start() {
    mkdir -p "$1" && cluster_folder=$(cd "$1" && pwd) && chmod 755 "$cluster_folder" || return 1
    if [ -e "$cluster_folder/slurm.conf" ]; then
        cluster_say "$cluster_folder has a cluster already"
        return 1
    fi
    for cluster_need in munged slurmctld slurmd sbatch setsid setpriv; do
        command -v $cluster_need >/dev/null && continue
        cluster_say "there is no $cluster_need here; on Debian: apt-get install slurm-wlm munge"
        return 1
    done
    cluster_configure "$cluster_folder" && : >"$cluster_folder/running" || return 1
    [ -z "${2:-}" ] || cluster_guard "$cluster_folder" "$2"
    export SLURM_CONF="$cluster_folder/slurm.conf"
    if cluster_munge "$cluster_folder" && cluster_wait 10 munge -S "$cluster_folder/munge/socket" -n &&
        slurmctld >"$cluster_folder/log/output" 2>&1 </dev/null &&
        slurmd -N "$cluster_host" >>"$cluster_folder/log/output" 2>&1 </dev/null && cluster_wait 30 cluster_idle; then
        return 0
    fi
    cluster_say "Slurm does not start:"
    tail -n 5 "$cluster_folder"/munge/output "$cluster_folder"/munge/log "$cluster_folder"/log/* >&2
    cluster_stop "$cluster_folder"
    return 1
}

# cluster_processes DIR: those that belong to it, by the environment in which they were started: daemons, and what runs
# in jobs. (The caller, and whoever asks the cluster something from outside, have SLURM_CONF, but no job.)
cluster_processes() {
    for cluster_environment in /proc/[0-9]*/environ; do
        grep -qzxFs "SLURM_CONF=$1/slurm.conf" "$cluster_environment" || continue
        cluster_process=${cluster_environment#/proc/}
        cluster_process=${cluster_process%/environ}
        case $(cat "/proc/$cluster_process/comm" 2>/dev/null) in
        slurmctld | slurmd | slurmstepd) echo "$cluster_process" ;;
        *) grep -qzs '^SLURM_JOB_ID=' "$cluster_environment" && echo "$cluster_process" ;;
        esac
    done
}

cluster_quiet() {
    [ -z "$(squeue -h -t running,completing -o %i 2>/dev/null)" ]
}

# cluster_end PIDFILE: asks a daemon to end, and does not ask twice.
cluster_end() {
    cluster_pid=$(cat "$1" 2>/dev/null) || return 0
    kill "$cluster_pid" 2>/dev/null
    cluster_wait 10 eval "! cluster_alive $cluster_pid" || kill -9 "$cluster_pid" 2>/dev/null
}

# cluster_stop DIR: also of a cluster that did not start, or half of which is gone.
cluster_stop() {
    cluster_folder=$(cd "$1" && pwd) || return 1
    [ -e "$cluster_folder/running" ] || return 0
    export SLURM_CONF="$cluster_folder/slurm.conf"
    if [ -e "$cluster_folder/slurmctld.pid" ] && [ -e "$cluster_folder/slurmd.pid" ]; then
        # Those that wait first: they would start in the place of the others.
        timeout 10 scancel --state=pending --user="$(id -un)" 2>/dev/null
        timeout 10 scancel --full --signal=KILL --user="$(id -un)" 2>/dev/null
        cluster_wait 10 cluster_quiet
    fi
    cluster_end "$cluster_folder/slurmd.pid"
    cluster_end "$cluster_folder/slurmctld.pid"
    for cluster_left in $(cluster_processes "$cluster_folder"); do
        [ "$cluster_left" = $$ ] || kill -9 "$cluster_left" 2>/dev/null
    done
    cluster_end "$cluster_folder/munge/pid"
    rm -f "$cluster_folder/running"
}

# cluster_with COMMAND...: returns what the command does.
cluster_with() {
    cluster_own=$(mktemp -d) || exit 1
    trap 'cluster_stop "$cluster_own"; rm -rf "$cluster_own"' EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
    cluster_start "$cluster_own" $$ || exit 1
    "$@"
}

cluster_usage() {
    sed -n '2,/^$/s/^# \{0,1\}//p' "$0" >&2
    exit 2
}

case ${0##*/} in
cluster.sh)
    cluster_script=$0
    case "${1:-} $#" in
    "start 2" | "start 3") cluster_start "$2" "${3:-}" ;;
    "stop 2") cluster_stop "$2" ;;
    "with "[2-9]* | "with 1"?*) shift && cluster_with "$@" ;;
    *) cluster_usage ;;
    esac
    ;;
esac
