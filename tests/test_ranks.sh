#!/bin/bash
# Several ranks, as mpirun starts them: the same bytes as from one process, however chains, batches, cells and inputs are
# dealt; ranks that are killed; what is said. Usage: test_ranks.sh KELVIN SOURCE_ROOT
kelvin=$1
if ! command -v mpirun >/dev/null; then
    echo "skipped: there is no mpirun here (Debian: openmpi-bin)"
    exit 77
fi
if [ ! -e "$(dirname "$kelvin")/kelvin-mpi.so" ]; then
    echo "skipped: kelvin was built without MPI (Debian: libopenmpi-dev)"
    exit 77
fi
. "$2/tests/shell.sh"
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
export ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0" # what MPI itself leaves behind
unset OMPI_COMM_WORLD_SIZE PMI_SIZE SLURM_STEP_NUM_TASKS
root_option=
[ "$(id -u)" = 0 ] && root_option=--allow-run-as-root
kills=${KELVIN_TEST_KILLS:-20}

# ranks N ARGUMENT...: as run, on so many ranks.
ranks() {
    n=$1
    shift
    timeout -k 5 120 mpirun $root_option -n "$n" "$kelvin" "$@" >stdout 2>stderr
    echo $? >code
}

# same A B: two run folders are, but for who had the lock and how long it took.
same() {
    diff -r -x lock -x times.csv "$1" "$2" >stderr
}

# ends well, and in the same bytes as RUN.
equals() {
    [ "$(cat code)" = 0 ] && same "$1" "$2"
}

# ---- what ranks compute together ----

group=$(dirname "$kelvin")/tests/ranks_group
for n in 1 2 3 4 8; do
    timeout -k 5 120 mpirun $root_option -n $n "$group" >stdout 2>stderr
    echo $? >code
    check "sums and posteriors of $n ranks" [ "$(cat code)" = 0 ]
    check "all of them" grep -q ' passed, 0 failed$' stdout
done

# ---- one posterior: chains dealt, and shared ----

sghmc="sample --preset paper --data digits --model mlp:20 --epochs 40 --chains 5 --samples 5"
hmc="sample --preset paper --sampler hmc --data digits --model mlp:8 --iterations 12 --warmup 4 --steps 5 --chains 3 --step-size 1e-3"
mclmc="sample --preset paper --sampler mclmc --data digits --model mlp:8 --iterations 12 --warmup 4 --steps 5 --chains 3"
cnn="sample --preset paper --data digits --model cnn:4,8,8,kernel=3,stride=2 --epochs 2 --chains 2 --batch 120"
resnet="sample --preset paper --data digits --model resnet8 --epochs 1 --chains 2 --batch 479"
for sampler in sghmc hmc mclmc cnn resnet; do
    run ${!sampler} -o $sampler
    check "$sampler, one process" good
    for way in "2 1 1" "4 1 1" "3 1 2" "2 2 1" "4 2 1" "4 4 1" "2 2 2"; do
        set -- $way
        case $sampler:$way in cnn:[34]*|resnet:[34]*|mclmc:3*) continue ;; esac
        ranks $1 ${!sampler} --ranks-per-chain $2 --threads $3 -o $sampler-$1-$2-$3
        check "$sampler on $1 ranks, $2 to a chain, $3 threads" equals $sampler $sampler-$1-$2-$3
    done
done
ranks 4 $hmc --chains 1 -o one-chain
run $hmc --chains 1 -o one-chain-alone
check "one chain on four ranks" same one-chain one-chain-alone

# A chain that diverges does so on every rank that shares it.
wild="sample --preset paper --data digits --model mlp:20 --epochs 30 --chains 3 --lr 30"
run $wild -o wild
cp code wild-code
for way in "2 1" "2 2" "3 1"; do
    set -- $way
    ranks $1 $wild --ranks-per-chain $2 -o wild-$1-$2
    check "diverging chains on $1 ranks, $2 to a chain" same wild wild-$1-$2
    check "its exit code" cmp code wild-code
done

# What a table is given without a word is chosen by rank 0, for all.
awk 'BEGIN { srand(3); print "a,b,label"; for (i = 0; i < 80; i++) { x = rand(); y = rand(); print x "," y "," (x > y) } }' >table.csv
"$kelvin" sample --data table.csv --epochs 50 -o chosen >/dev/null 2>&1
ranks 2 sample --data table.csv --epochs 50 -o chosen-2
check "settings that are chosen" equals chosen chosen-2

# ---- stopped and gone on with ----

long="sample --preset paper --data digits --model mlp:30,30 --epochs 1200 --chains 4 --checkpoint 0.05"
run $long -o whole
check "one process" good

# begin N NAME ARGUMENT...: in the background; its pid is in $job, and those of its ranks in $pids.
begin() {
    n=$1
    name=$2
    shift 2
    rm -rf "$name"
    timeout -k 5 120 mpirun $root_option -n "$n" "$kelvin" $long --threads 1 -o "$name" "$@" >stdout 2>stderr &
    job=$!
}

# until all N ranks are there; those that have ended and wait to be looked for do not count.
find_ranks() {
    i=0
    while :; do
        pids=
        for p in $(pgrep -f -- "^$kelvin $long .*-o $1( |\$)"); do
            grep -q '^State:.*Z' "/proc/$p/status" 2>/dev/null || pids="$pids $p"
        done
        [ "$(echo $pids | wc -w)" -ge "$2" ] && return
        i=$((i + 1))
        [ $i -ge 400 ] && return
        sleep 0.02
    done
}

resumes() {
    if [ ! -e "$1" ]; then # killed before there was anything
        run $long -o "$1"
    elif [ "$2" = 1 ]; then
        run resume "$1"
    else
        ranks "$2" resume "$1"
    fi
    equals whole "$1"
}

RANDOM=7
for i in $(seq "$kills"); do
    n=$((2 + i % 3))
    share=$((n == 3 ? 1 : 1 + i / 3 % 2))
    begin $n killed --ranks-per-chain $share
    find_ranks killed $n
    sleep 0.$((RANDOM % 10))$((RANDOM % 10))
    find_ranks killed $n
    set -- $pids
    [ $# -gt 0 ] && shift $((RANDOM % $#))
    kill -9 $1 2>/dev/null
    t=$SECONDS
    wait $job
    echo $? >ended
    took=$((SECONDS - t))
    # mpirun may end before the last of its ranks, which still has the lock of the folder.
    for _ in $(seq 500); do
        find_ranks killed 0
        [ -z "$pids" ] && break
        sleep 0.02
    done
    check "a job of $n ranks, one of which is killed, ends: $took s" [ $took -lt 30 ]
    [ "$(cat ended)" = 0 ] || check "it says why (exit code $(cat ended))" grep -q . stderr
    check "kill $i of $n ranks, $share to a chain; resumed by $((1 + i % 4))" resumes killed $((1 + i % 4))
done

# A file that cannot be written: whoever shares the chain stops, too, and the reason is said.
for way in "2 2" "2 1" "4 4"; do
    set -- $way
    cp -r whole broken-$1-$2
    rm -rf broken-$1-$2/manifest broken-$1-$2/chain-000
    mkdir -p broken-$1-$2/chain-000/state.safetensors.tmp
    timeout -k 5 60 mpirun $root_option -n $1 "$kelvin" resume broken-$1-$2 --ranks-per-chain $2 --threads 1 >stdout 2>stderr
    echo $? >code
    check "a state that cannot be written, $1 ranks, $2 to a chain" \
        eval '[ "$(cat code)" = 1 ] && grep -q "^kelvin resume: .*state.safetensors" stderr'
    rm -rf broken-$1-$2/chain-000
    check "and then it can" resumes broken-$1-$2 $1
done

# Several jobs that name no folder.
mkdir nameless
for i in 1 2 3; do
    mkdir mpi-$i
    (cd nameless && OMPI_MCA_orte_tmpdir_base=$work/mpi-$i timeout -k 5 60 mpirun $root_option -n 2 "$kelvin" $sghmc --seed $i --threads 1 >out-$i 2>err-$i
    echo $? >code-$i) &
done
wait
check "three jobs without a name" [ "$(cat nameless/code-?)" = "0
0
0" ]
check "have a folder each" [ "$(cd nameless && echo kelvin-run*)" = "kelvin-run kelvin-run-2 kelvin-run-3" ]

for signal in TERM USR1; do
    begin 3 asked
    i=0 # until chains are under way: only then ranks listen
    until ls asked/chain-*/state.safetensors >/dev/null 2>&1 || [ $i -ge 2000 ]; do
        sleep 0.02
        i=$((i + 1))
    done
    find_ranks asked 3
    set -- $pids
    "$kelvin" resume asked >/dev/null 2>busy
    check "one job at a time works in a folder" grep -q "another process.* is working here" busy
    kill -$signal $2
    wait $job
    echo $? >code
    check "SIG$signal at one rank stops all" grep -qi "go on with: kelvin resume asked" stderr
    check "and it fails" [ "$(cat code)" != 0 ]
    check "gone on with after SIG$signal" resumes asked 2
done

# ---- experiments ----

cat >grid.json <<'END'
{"data": "digits", "model": "mlp:12", "chains": 2, "epochs": 20, "cells": [
 {"name": "cold {temperature} {seed}", "density": "categorical", "temperature": [0, 0.1, 1], "seed": [0, 1]},
 {"name": "tuned {seed}", "from": "cold 0 {seed}", "density": "dirclip:0.7,-50", "schedule": "constant",
  "lr": 1e-5, "seed": [0, 1]}]}
END
run experiment grid.json --cache cells -o grid.csv
check "an experiment by one process" good
mv cells alone
for way in "2 1 1" "4 1 1" "4 2 2" "4 4 2" "4 4 1" "3 0 0"; do
    set -- $way
    ranks $1 experiment grid.json --cache cells -o grid-$1-$2-$3.csv --ranks-per-cell $2 --ranks-per-chain $3
    check "an experiment on $1 ranks, $2 to a cell, $3 to a chain" equals alone cells
    check "its table" cmp grid.csv grid-$1-$2-$3.csv
    rm -rf cells
done
for part in 3 1 2; do run experiment grid.json --cache cells -o parts.csv --part $part/3; done
check "an experiment in three parts" equals alone cells
check "its table" cmp grid.csv parts.csv
rm -rf cells

# More ranks than cells, and than chains: they share both.
echo '{"data": "digits", "model": "mlp:12", "chains": 2, "epochs": 20, "cells": [{"name": "one"}]}' >few.json
run experiment few.json --cache few -o few.csv
mv few few-alone
ranks 4 experiment few.json --cache few -o few-4.csv
check "one cell on four ranks" equals few-alone few
check "its table" cmp few.csv few-4.csv
ranks 4 experiment few.json --cache few-3 --ranks-per-cell 3
check "teams that do not divide the ranks" [ "$(cat code)" = 2 ]

# Killed, and gone on with by others.
timeout 60 mpirun $root_option -n 3 "$kelvin" experiment grid.json --cache cells -o cut.csv --checkpoint 0 >stdout 2>stderr &
job=$!
sleep 0.9
kill -9 $(pgrep -f -- "^$kelvin experiment grid.json .*cut.csv" | tail -n 1) 2>/dev/null
wait $job
ranks 2 experiment grid.json --cache cells -o cut.csv
check "an experiment that was killed" equals alone cells
check "its table" cmp grid.csv cut.csv

# ---- new inputs ----

run predict sghmc digits -o p-1.csv
for n in 2 3; do
    ranks $n predict sghmc digits -o p-$n.csv
    check "predictions by $n ranks" cmp p-1.csv p-$n.csv
done
"$kelvin" predict chosen - <table.csv >rows-1.csv 2>/dev/null
mpirun $root_option -n 2 "$kelvin" predict chosen - <table.csv >rows-2.csv 2>stderr
check "a table on standard input" cmp rows-1.csv rows-2.csv
"$kelvin" eval hmc --on digits --csv >eval-1.csv 2>stderr
ranks 2 eval hmc --on digits --csv
check "eval on other data" cmp eval-1.csv stdout

# ---- what is said ----

said() {
    [ "$(cat code)" = "$1" ] && [ "$(grep -c "^kelvin" stderr)" = 1 ] && grep -qF -e "$2" stderr
}
ranks 3 sample --data nowhere.csv -o x
check "one sentence for all ranks" said 1 "nowhere.csv: could not be read"
ranks 3 $sghmc --ranks-per-chain 2 -o x
check "ranks that cannot be divided" said 2 "does not divide the 3 ranks"
rm -rf x
ranks 2 $sghmc -o sghmc
check "a folder that is there" said 2 "sghmc already exists"
run info
cp stdout info-1
ranks 3 info
check "its output comes once" cmp info-1 stdout
ranks 2 sample --help
check "help comes once" [ "$(grep -c '^Usage' stdout)" = 1 ]

# Ranks that would draw other bits, where there are such.
if KELVIN_ISA=x86-64-v3 "$kelvin" info >/dev/null 2>&1; then
    timeout -k 5 60 mpirun $root_option -n 2 "$kelvin" $sghmc -o x : -n 1 env KELVIN_ISA=x86-64 "$kelvin" $sghmc -o x \
        >stdout 2>stderr
    echo $? >code
    check "a rank without FMA" said 2 "rank 2"
    check "nothing is made then" [ ! -e x ]
fi

# Without MPI a launcher's processes are refused; a plain one is not touched by what Slurm leaves for batch scripts.
mkdir alone-here
cp "$kelvin" alone-here/kelvin # without the module beside it
OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 alone-here/kelvin info >stdout 2>stderr
echo $? >code
check "a launcher without MPI" complained 2 "was started 2 times by a launcher"
mkdir linked
ln -s "$kelvin" linked/kelvin
timeout -k 5 60 mpirun $root_option -n 2 linked/kelvin --version >stdout 2>stderr
check "a link to kelvin" [ "$(cat stdout)" = "$("$kelvin" --version)" ]
run experiment few.json --cache few --ranks-per-cell 7
check "ranks where there are none" complained 2 "--ranks-per-cell is 7"
SLURM_NTASKS=4 SLURM_PROCID=0 SLURM_JOB_ID=7 alone-here/kelvin info >stdout 2>stderr
echo $? >code
check "a batch script of Slurm" good

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
