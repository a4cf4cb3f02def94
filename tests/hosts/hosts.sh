#!/bin/sh
# Several hosts on one machine: network namespaces with addresses and host names of their own, and
# a bridge between them in one more. They share the file system. Outside nothing changes: no
# interface, no address, no file. Needs root and ip (iproute2), and for run mpirun (Open MPI).
#
#     hosts.sh make N              makes host-a, host-b, ... (N of them, up to 9); 77 if it cannot
#     hosts.sh run OPTION... COMMAND   mpirun on host-a, its ranks dealt to all hosts in turn
#     hosts.sh enter HOST COMMAND  runs a shell command there
#     hosts.sh cut HOST            pulls its cable: packets vanish, nobody is told
#     hosts.sh mend HOST           plugs it in again
#     hosts.sh left                processes that are still at work on any host: pid, host, command
#     hosts.sh remove              ends all of these, and removes the hosts, if there are any
#     hosts.sh with N COMMAND      make N, COMMAND, and remove however that ends
#
# run and enter become the command: their process id is that of mpirun.
# KELVIN_HOSTS: a name for this set of hosts, so that several can be there at a time [kelvin].
# KELVIN_HOSTS_ON: the hosts that run uses, as host-a,host-b [all].
# TMPDIR: where Open MPI keeps files of a job; they stay there if it is killed [/tmp].
set=${KELVIN_HOSTS:-kelvin}
switch=$set-switch
here=$(cd "$(dirname "$0")" && pwd) || exit 1

cannot() {
    echo "hosts.sh: no hosts can be made here: $*" >&2
    exit 77
}

wrong() {
    echo "hosts.sh: $*" >&2
    exit 2
}

# The hosts that there are, one per line.
hosts() {
    ip netns list 2>/dev/null | sed -n "s/^$set-\(host-[a-i]\)\( .*\)\{0,1\}\$/\1/p" | sort
}

known() {
    hosts | grep -qx -e "$1" || wrong "there is no host '$1'; hosts.sh make N makes some"
}

# ---- make and remove ----
# tried COMMAND...: what it says stands in $why, should it fail.
tried() {
    why=$("$@" 2>&1)
}

add_host() { # LETTER NUMBER
    host=$set-host-$1
    tried ip netns add "$host" &&
        tried ip -n "$switch" link add "to-$1" type veth peer name eth0 netns "$host" &&
        tried ip -n "$switch" link set "to-$1" master bridge up &&
        tried ip -n "$host" address add "10.77.0.$2/24" dev eth0 &&
        tried ip -n "$host" link set lo up &&
        tried ip -n "$host" link set eth0 up
}

add_switch() {
    tried ip netns add "$switch" &&
        tried ip -n "$switch" link add bridge type bridge &&
        tried ip -n "$switch" link set bridge up
}

make_hosts() {
    case $1 in
    [1-9]) ;;
    *) wrong "make wants a number of hosts from 1 to 9, not '$1'" ;;
    esac
    [ "$(id -u)" = 0 ] || cannot "only root may make network namespaces"
    for tool in ip unshare hostname; do
        command -v $tool >/dev/null || cannot "there is no command '$tool'"
    done
    [ -z "$(hosts)" ] || wrong "there are hosts '$set' already: hosts.sh remove"
    tried unshare --uts hostname host-a || cannot "a host name of its own: $why"
    trap remove_hosts EXIT # should it fail or be stopped half way
    trap 'exit 1' HUP INT TERM
    add_switch || cannot "$why"
    number=0
    for letter in a b c d e f g h i; do
        [ $number -lt "$1" ] || break
        number=$((number + 1))
        add_host $letter $number || cannot "$why"
    done
    trap - EXIT HUP INT TERM
}

pids_on() {
    ip netns pids "$set-$1" 2>/dev/null
}

left() {
    for host in $(hosts); do
        for pid in $(pids_on "$host"); do
            case $(sed -n 's/^State:[[:space:]]*//p' "/proc/$pid/status" 2>/dev/null) in
            Z* | X* | "") ;;
            *) echo "$pid $host $(tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline")" ;;
            esac
        done
    done
}

# Again and again: one that is about to be ended may start another. Not forever.
end_all() {
    tries=0
    while [ -n "$(left)" ] && [ $tries -lt 100 ]; do
        for host in $(hosts); do
            for pid in $(pids_on "$host"); do
                kill -s KILL "$pid" 2>/dev/null
            done
        done
        tries=$((tries + 1))
        sleep 0.05
    done
    [ $tries -lt 100 ]
}

# The switch goes first, and all cables with it.
remove_hosts() {
    trap '' HUP INT TERM
    end_all || echo "hosts.sh: some processes could not be ended" >&2
    for one in "$switch" $(hosts | sed "s/^/$set-/"); do
        ip netns delete "$one" 2>/dev/null
    done
    trap - HUP INT TERM
    [ -z "$(hosts)" ]
}

# ---- cables ----
cable() { # HOST up|down
    known "$1"
    ip -n "$switch" link set "to-${1#host-}" "$2"
}

# It takes a moment. And a host that was looked for in vain counts as away for a while longer: all
# forget that.
mend() { # HOST
    cable "$1" up || exit
    tries=0
    until ip -n "$set-$1" link show eth0 | grep -q 'state UP' || [ $tries -ge 100 ]; do
        tries=$((tries + 1))
        sleep 0.05
    done
    for host in $(hosts); do
        ip -n "$set-$host" neighbour flush all 2>/dev/null
    done
    [ $tries -lt 100 ]
}

# ---- commands on hosts ----
# The words are joined and read by a shell, as ssh does it: so Open MPI starts its daemons.
enter() { # HOST WORD...
    known "$1"
    host=$1
    shift
    exec ip netns exec "$set-$host" unshare --uts sh -c "hostname $host && $*"
}

# become HOST COMMAND...: the same, but its words stay what they are.
become() {
    host=$1
    shift
    exec ip netns exec "$set-$host" unshare --uts sh -c 'hostname "$0" && exec "$@"' "$host" "$@"
}

# Options stand in the environment: what the caller says counts for more. The daemons are started by
# this script, which mpirun finds by its name. Shared memory within a host, TCP between them, and
# nothing that would find out that they are one machine.
run() {
    on=${KELVIN_HOSTS_ON:-$(hosts | tr '\n' ',')}
    [ -n "$on" ] || wrong "there are no hosts; hosts.sh make N makes some"
    first=${on%%,*}
    known "$first"
    command -v mpirun >/dev/null || cannot "there is no command 'mpirun'"
    export KELVIN_HOSTS="$set" PATH="$here:$PATH"
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    for setting in plm=rsh plm_rsh_agent="hosts.sh enter" plm_rsh_no_tree_spawn=1 \
        oob_tcp_if_include=eth0 btl_tcp_if_include=eth0 pml=ob1 btl=vader,tcp,self \
        if_base_do_not_resolve=1 hwloc_base_binding_policy=none; do
        name=OMPI_MCA_${setting%%=*}
        eval "[ -n \"\${$name+set}\" ] || export $name=\"\${setting#*=}\""
    done
    slots=$(echo "${on%,}" | sed 's/,/:99,/g; s/$/:99/')
    become "$first" mpirun --host "$slots" --map-by node "$@"
}

command=$1
[ $# -gt 0 ] && shift
case $command in
make) make_hosts "$1" ;;
run) run "$@" ;;
enter) enter "$@" ;;
cut) cable "$1" down ;;
mend) mend "$1" ;;
left) left ;;
remove) remove_hosts ;;
with)
    number=$1
    shift
    "$0" make "$number" || exit
    trap '"$0" remove' EXIT
    trap 'exit 1' HUP INT TERM
    "$@"
    ;;
*) wrong "one of make, run, enter, cut, mend, left, remove, with; see the head of the script" ;;
esac
