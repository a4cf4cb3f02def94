#!/bin/sh
# Runs by SGHMC from outside: stopped by signals and resumed, they end in the same bytes; exit codes tell of chains that
# diverged; a dry run leaves nothing.
#
#     test_resume.sh KELVIN SOURCE_ROOT
. "$2/tests/shell.sh"

small="--model mlp:4 --chains 3"
long="$small --epochs 5000" # some seconds

# same RUN RUN: the same bytes, but for times and the lock.
same() {
    diff -r -x 'times.*' -x lock "$1" "$2" >differences && [ -e "$1/logits_train.npy" ]
}

# begin SIGNAL RUN COMMAND...: kelvin COMMAND, which is sent the signal when RUN is there and it had time for some epochs.
begin() {
    signal=$1 folder=$2
    shift 2
    "$kelvin" "$@" >stdout 2>stderr &
    child=$!
    until [ -e "$folder/run.json" ]; do sleep 0.05; done
    sleep 0.1
    kill -$signal $child
    wait $child
    echo $? >code
}

# ---- stopped and resumed ----
ok sample $long --threads 2 -o whole
begin TERM stopped sample $long --threads 2 -o stopped
check "SIGTERM" complained 1 "stopped; stopped holds everything up to now. Go on with: kelvin resume stopped"
begin INT stopped resume stopped --threads 1
check "SIGINT" complained 1 "Go on with: kelvin resume stopped"
check "it is not finished" [ ! -e stopped/logits_train.npy ]
cp -r stopped killed
begin KILL killed resume killed --checkpoint 0
check "SIGKILL" [ "$(cat code)" = 137 ]
for folder in stopped killed; do
    ok resume $folder --threads 3
    check "$folder: the same bytes as if nothing had happened" same whole $folder
done

# ---- at the same moment ----
mkdir together
cd together
pids=
for i in 1 2 3 4 5 6; do
    "$kelvin" sample $small --epochs 2 >../stdout 2>said-$i &
    pids="$pids $!"
done
bad=0
for pid in $pids; do wait $pid || bad=$((bad + 1)); done
cat said-* >../stderr
cd ..
check "runs that start together each find a name" [ $bad = 0 ]
check "and say which" [ "$(sed -n 's/^the run is kept in //p' stderr | sort | tr '\n' ' ')" = \
    "kelvin-run kelvin-run-2 kelvin-run-3 kelvin-run-4 kelvin-run-5 kelvin-run-6 " ]
check "which is where they are" [ "$(ls together/*/logits_test.npy | wc -l)" = 6 ]
check "with nothing beside them" [ -z "$(ls -d together/.kelvin-run* 2>/dev/null)" ]

# ---- ended ----
ok resume whole
check "a run that has ended says so" grep -qx "whole has ended already: there is nothing left to do." stderr
check "nothing in it changes" same whole stopped
ok resume whole --json
check "its report as JSON" json

damage() { # FILE: its last byte but one is another
    cp "whole/$1" kept
    tail -c 2 kept | head -c 1 | grep -q x && byte=y || byte=x
    printf $byte | dd of="whole/$1" bs=1 seek=$(($(wc -c <kept) - 2)) conv=notrunc 2>/dev/null
}
sample=$(cd whole && ls chain-000/sample-*.safetensors | tail -n 1)
damage $sample
run resume whole
check "a sample that is damaged" complained 1 "whole/$sample"
check "and the way out" grep -q "the file is damaged; remove it, then kelvin resume whole makes it again" stderr
check "nothing else is said" [ "$(wc -l <stderr) $(wc -c <stdout)" = "1 0" ]
rm whole/$sample
ok resume whole
check "which makes it again" cmp -s kept whole/$sample
cp whole/data.json kept
head -c 100 kept >whole/data.json
run resume whole
check "a description that is damaged" complained 1 "whole/data.json"
check "is to be removed" grep -q "; remove it: without it the data set is read" stderr
rm whole/data.json
ok resume whole
check "and comes back" cmp -s kept whole/data.json
head -n 3 whole/chain-000/history.csv >kept
mv whole/chain-000/history.csv rows
mv kept whole/chain-000/history.csv
ok resume whole
check "a history that was cut comes back" cmp -s rows whole/chain-000/history.csv

# ---- no run to go on with ----
run sample --sampler hmc --iterations 4 --steps 4 --chains 1 -o by-hmc
mkdir empty
wrong "which run?" resume
wrong "--checkpoint must not be negative" resume whole --checkpoint -1
wrong "by-hmc: a run by hmc" resume by-hmc
run resume empty
check "a folder that is not a run" complained 1 "empty: not a run by kelvin: it has no run.json"
wrong "whole already exists; choose another name, remove it, or go on with it: kelvin resume whole" sample $small -o whole
wrong "empty already exists; choose another name, or remove it" sample $small -o empty
check "which is no run to go on with" [ "$(grep -c resume stderr)" = 0 ]
wrong "-o is empty" sample $small -o ""
wrong "x/y/z: the folder cannot be made: No such file or directory" sample $small -o x/y/z
wrong "--threads is 100000; expected at most 1024" sample $small --threads 100000 -o many
wrong "--threads is 100000; expected at most 1024" resume whole --threads 100000
ok resume whole/run.json
check "its run.json stands for a run" grep -qx "whole/* has ended already: there is nothing left to do." stderr
(cd whole && "$kelvin" resume run.json >../stdout 2>../stderr)
check "and here, too" grep -q "has ended already" stderr
ok sample --config whole --epochs 2 --threads 1 -o alike
check "a run stands for its run.json" grep -q '"model": "mlp:4"' alike/run.json
cp -r alike edited
sed -i 's/"momentum": 0.98/"momentum": 0.9/' edited/run.json
for command in resume diagnose; do
    run $command edited
    check "$command: an edited run.json" complained 1 \
        "edited/run.json has changed since chain-000/state.safetensors was written; put it back"
done
head -c 300 alike/chain-001/state.safetensors >short
mv short alike/chain-001/state.safetensors
run resume alike
check "a damaged state" complained 1 "remove it to sample this chain from its start"
check "going on would not help" [ "$(grep -c "go on with" stderr)" = 0 ]
rm alike/chain-001/state.safetensors
ok resume alike
run resume nowhere
check "no folder at all" complained 1 "nowhere: "
wrong "whole" sample $small -o whole
"$kelvin" sample $long -o busy >/dev/null 2>&1 &
child=$!
until [ -e busy/run.json ]; do sleep 0.05; done
wrong "busy" resume busy
kill -KILL $child
wait $child

# ---- what was written after the chains had ended ----
cp -r whole without
rm without/labels_test.npy
ok resume without
check "labels come back" same whole without

# ---- chains that diverge ----
# In two epochs the logits of chains 3 and 4 stay less than 1.8 apart; those of the others are 2 or more from the start.
run sample --chains 8 --epochs 2 --seed 3 --logit-limit 1.9 --json -o some
check "some chains diverge: exit 3" [ "$(cat code)" = 3 ]
check "the report of the others" json
check "a sentence for each, and one for all" [ "$(grep -c "^chain [012567] diverged at step 0 " stderr)" = 6 ]
check "how many" grep -q "^kelvin sample: 6 of 8 chains diverged; the report is of the others" stderr
run resume some
check "and again" [ "$(cat code)" = 3 ]
run sample --chains 2 --epochs 2 --logit-limit 0.001 -o all
check "all chains diverge: exit 1, no report" [ "$(cat code)" = 1 -a ! -s stdout ]
check "which is said" grep -q "^kelvin sample: .*: all chains diverged" stderr

# ---- before the start ----
touch before after
ls >before
ok sample --dry-run $small --epochs 1000
check "a table of costs" grep -q "^time to the end .*[0-9] " stdout
ok sample --dry-run --json $small --epochs 1000
check "costs as JSON" json
for key in parameters chains_at_once threads_per_chain memory_bytes disk_bytes epochs_per_s images_per_s seconds; do
    check "costs: $key" grep -q "\"$key\": [0-9.e+]*[1-9]" stdout
done
ls >after
check "a dry run leaves nothing" cmp -s before after
below="sample $small --epochs 2 --density dirclip:0.5,-50"
ok $below -o warned
check "below the critical alpha: a warning" grep -q "^warning: .*critical alpha" stderr
ok $below --init whole -o tuned
check "fine-tuning: none" [ "$(grep -c "^warning" stderr)" = 0 ]

# ---- help ----
ok resume --help
ok --help
check "help has exit code 3" grep -q "3 if it is done but a chain diverged" stdout
ok --man
check "the manual has exit code 3" grep -qx ".B 3" stdout

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
