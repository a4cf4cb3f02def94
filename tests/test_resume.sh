#!/bin/sh
# Runs by every sampler from outside: stopped by signals and resumed, they end in the same bytes; what is lost or damaged
# comes back, or a sentence says what helps; exit codes tell of chains that diverged; a dry run leaves nothing.
#
#     test_resume.sh KELVIN SOURCE_ROOT
. "$2/tests/shell.sh"

small="--model mlp:4 --chains 3"
long="$small --epochs 5000" # some seconds
# Of all data, on a table of 18 rows: 98 draws fill a file of a chain, which has three of them. Most are warm-up, so that
# the summary does not take long.
wide="--data toy --model mlp:100,100 --chains 3 --iterations 250 --warmup 230"
by_hmc="--sampler hmc $wide --steps 40 --step-size 0.002"
by_mclmc="--sampler mclmc $wide --steps 20"

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
    while [ ! -e "$folder/run.json" ] && kill -0 $child 2>/dev/null; do sleep 0.05; done
    sleep 0.1
    kill -$signal $child
    wait $child
    echo $? >code
}

# ---- stopped and resumed ----
# stops WHO OPTIONS: leaves WHO, undisturbed, and WHO-stopped, the same.
stops() {
    who=$1
    shift
    ok sample "$@" --threads 2 -o $who
    begin TERM $who-stopped sample --preset paper "$@" --threads 2 -o $who-stopped
    check "$who: SIGTERM" complained 1 \
        "stopped; $who-stopped holds everything up to now. Go on with: kelvin resume $who-stopped"
    begin INT $who-stopped resume $who-stopped --threads 1
    check "$who: SIGINT" complained 1 "Go on with: kelvin resume $who-stopped"
    check "$who: it is not finished" [ ! -e $who-stopped/logits_train.npy ]
    cp -r $who-stopped $who-killed
    begin KILL $who-killed resume $who-killed --checkpoint 0
    check "$who: SIGKILL" [ "$(cat code)" = 137 ]
    for folder in $who-stopped $who-killed; do
        ok resume $folder --threads 3
        check "$folder: the same bytes as if nothing had happened" same $who $folder
    done
    rm -r $who-killed
}
stops whole $long
stops hmc $by_hmc
stops mclmc $by_mclmc
check "three files of draws" [ "$(ls hmc/chain-002/samples-00[012].safetensors mclmc/chain-000/samples-00[012].safetensors | wc -l)" = 6 ]

# ---- at the same moment ----
mkdir together
cd together
pids=
for i in 1 2 3 4 5 6; do
    "$kelvin" sample --preset paper $small --epochs 2 >../stdout 2>said-$i &
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

# ---- where nobody can look ----
mkdir closed
as_nobody= # to root nothing is closed
[ "$(id -u)" != 0 ] || as_nobody="setpriv --reuid 65534 --regid 65534 --clear-groups"
if $as_nobody "$kelvin" --version >stdout 2>stderr; then
    (cd closed && chmod 600 . && $as_nobody timeout -s KILL 100 "$kelvin" sample --preset paper $small >../stdout 2>../stderr
        echo $? >../code)
    check "a folder in which no name can be looked for" complained 1 \
        "kelvin-run: whether it is there cannot be seen: Permission denied; name another place: -o RUN"
else
    echo "skipped: this program cannot be run as nobody"
fi
chmod 700 closed

# ---- ended ----
ok resume whole
check "a run that has ended says so" grep -qx "whole has ended already, and its files are whole: there is nothing left to do." stderr
check "nothing in it changes" same whole whole-stopped
ok resume whole --json
check "its report as JSON" json

# damage FILE: its last byte but one is another; the file is in ./kept as it was.
damage() {
    cp "$1" kept
    tail -c 2 kept | head -c 1 | grep -q x && byte=y || byte=x
    printf $byte | dd of="$1" bs=1 seek=$(($(wc -c <kept) - 2)) conv=notrunc 2>/dev/null
}
for who in whole hmc mclmc; do
    draws=$who/$(cd $who && ls chain-000/samples-*.safetensors | tail -n 1)
    damage $draws
    for command in resume diagnose eval; do
        [ "$who $command" = "whole diagnose" ] && continue # of one draw per chain it can tell nothing
        [ $command = eval ] && mv $who/logits_train.npy aside # what the draws say is in the logits
        [ $command = eval ] && set -- eval --on train $who || set -- $command $who
        run "$@"
        [ $command = eval ] && mv aside $who/logits_train.npy
        check "$*: draws that are damaged" complained 1 "$draws: is not as the run left it"
        check "$*: and the way out" grep -q "remove $who/chain-000, and kelvin resume $who samples that chain anew" stderr
    done
    rm -r $who/chain-000
    ok resume $who
    check "$who: which samples it anew" cmp -s kept $draws
    for file in data.json chain-001/history.csv logits_train.npy labels_train.npy manifest; do
        damage $who/$file
        [ $file = manifest ] && rm $who/manifest # one that is damaged is not believed; see below
        ok resume $who
        check "$who: $file that was damaged comes back" cmp -s kept $who/$file
        rm $who/$file
        ok resume $who
        check "$who: $file that was lost comes back" cmp -s kept $who/$file
    done
    head -n 3 $who/chain-000/history.csv >cut
    mv $who/chain-000/history.csv rows
    mv cut $who/chain-000/history.csv
    ok resume $who
    check "$who: a history that was cut comes back" cmp -s rows $who/chain-000/history.csv
    damage $who/manifest
    run resume $who
    check "$who: a manifest that is damaged" complained 1 "$who/manifest: is damaged"
    check "$who: is to be removed" grep -q "remove it, then kelvin resume $who makes it again" stderr
    rm $who/manifest
    ok resume $who
    check "$who: and comes back" cmp -s kept $who/manifest
    check "$who: all is as it was" same $who $who-stopped
    [ $who = whole ] && continue
    damage $who/chain-002/samples-000.safetensors
    rm $who/manifest
    run resume $who
    check "$who: nothing vouches for draws of the warm-up that are damaged" complained 1 "remove $who/chain-002, and"
    mv kept $who/chain-002/samples-000.safetensors
    ok resume $who
    check "$who: and is what it was" same $who $who-stopped
done

# ---- while the summary is made ----
"$kelvin" sample --preset paper --sampler hmc --data toy --iterations 30000 --steps 1 --chains 2 -o large >stdout 2>stderr &
child=$!
until grep -q logits_train.npy large/manifest 2>/dev/null || ! kill -0 $child; do sleep 0.05; done
sleep 0.5 # now there is nothing left to put away
kill -TERM $child
wait $child
check "a signal while the summary is made ends it at once" [ $? = 143 -a ! -s stdout ]
ok eval large --on train
rm -r large

# ---- no run to go on with ----
mkdir empty
wrong "which run?" resume
wrong "--checkpoint must not be negative" resume whole --checkpoint -1
run resume empty
check "a folder that is not a run" complained 1 "empty: not a run by kelvin: it has no run.json"
wrong "whole already exists; choose another name, remove it, or go on with: kelvin resume whole" sample $small -o whole
wrong "empty already exists; choose another name, or remove it" sample $small -o empty
check "which is no run to go on with" [ "$(grep -c resume stderr)" = 0 ]
wrong "-o is empty" sample $small -o ""
wrong "x/y/z: the folder cannot be made: No such file or directory" sample $small -o x/y/z
wrong "--threads is 100000; expected at most 1024" sample $small --threads 100000 -o many
wrong "--threads is 100000; expected at most 1024" resume whole --threads 100000
ok resume whole/run.json
check "its run.json stands for a run" grep -qx "whole/* has ended already, and its files are whole: there is nothing left to do." stderr
(cd whole && "$kelvin" resume run.json >../stdout 2>../stderr)
check "and here, too" grep -q "has ended already" stderr
ok sample --config whole --epochs 2 --threads 1 -o alike
check "a run stands for its run.json" grep -q '"model": "mlp:4"' alike/run.json
cp -r alike edited
sed -i 's/"momentum": 0.98/"momentum": 0.9/' edited/run.json
for command in resume diagnose; do
    run $command edited
    check "$command: an edited run.json" complained 1 "edited/run.json: is not as the run left it"
    check "$command: is to be put back" grep -q "; put it back, or start a new run with --config" stderr
done
rm edited/manifest
run resume edited
check "an edited run.json without what vouches for it" complained 1 \
    "edited/chain-000/state.safetensors: is of another run, or run.json has changed since"
run diagnose edited
check "is not reported" complained 1 "edited: has no manifest"
head -c 300 alike/chain-001/state.safetensors >short
mv short alike/chain-001/state.safetensors
run resume alike
check "a damaged state" complained 1 "remove alike/chain-001, and kelvin resume alike samples that chain anew"
check "going on would not help" [ "$(grep -c "go on with" stderr)" = 0 ]
rm -r alike/chain-001
ok resume alike
run resume nowhere
check "no folder at all" complained 1 "nowhere: "
wrong "whole" sample $small -o whole
for options in "$long" "$by_hmc" "$by_mclmc"; do
    rm -rf busy
    "$kelvin" sample --preset paper $options -o busy >/dev/null 2>&1 &
    child=$!
    until [ -e busy/run.json ]; do sleep 0.05; done
    wrong "busy: another process (pid $child) is working here" resume busy
    kill -KILL $child
    wait $child
done

# ---- chains that diverge ----
# In two epochs the logits of chains 3 and 4 stay less than 1.8 apart; those of the others are 2 or more from the start.
run sample --chains 8 --epochs 2 --seed 3 --logit-limit 1.9 --json -o some
check "some chains diverge: exit 3" [ "$(cat code)" = 3 ]
check "the report of the others" json
check "a sentence for each, and one for all" [ "$(grep -c "^chain [012567] diverged at step 0 " stderr)" = 6 ]
check "how many" grep -qx "kelvin sample: 6 of 8 chains diverged; the report is of the others" stderr
run resume some
check "and again" [ "$(cat code)" = 3 ]
run sample --chains 2 --epochs 2 --logit-limit 0.001 -o all
check "all chains diverge: exit 1, no report" [ "$(cat code)" = 1 -a ! -s stdout ]
check "which is said" grep -q "^kelvin sample: .*: all chains diverged" stderr

# Of all data, too: the widest logits of each chain tell of a limit that some of them pass.
for options in "--sampler hmc --steps 20 --step-size 0.002" "--sampler mclmc --steps 10"; do
    options="$options --data toy --model mlp:8 --chains 5 --iterations 20 --warmup 5 --seed 3"
    set -- $options
    rm -rf free some all
    ok sample $options -o free
    limit=$(for file in free/chain-*/history.csv; do
        awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "logit_range") c = i }
            NR > 1 && $c > most { most = $c } END { print most }' $file
    done | sort -g | sed -n '3p;4p' | awk '{ sum += $1 } END { print sum / 2 }')
    run sample $options --logit-limit $limit --json -o some
    check "$2: some chains diverge: exit 3" [ "$(cat code)" = 3 ]
    check "$2: the report of the others" json
    check "$2: a sentence for each" [ "$(grep -c "^chain [0-4] diverged at step [0-9]* (iteration " stderr)" = 2 ]
    check "$2: how many" grep -q "^kelvin sample: 2 of 5 chains diverged; the report is of the others" stderr
    cp -r some before
    run resume some
    check "$2: and again" [ "$(cat code)" = 3 ]
    check "$2: nothing changes" same some before
    rm -r before
    run sample $options --logit-limit 0.001 -o all
    check "$2: all chains diverge: exit 1, no report" [ "$(cat code)" = 1 -a ! -s stdout ]
    check "$2: which is said" grep -q "^kelvin sample: .*: all chains diverged" stderr
    run resume all
    check "$2: and again" [ "$(cat code)" = 1 -a ! -s stdout ]
done

# ---- from one sampler to another ----
tuned="--data toy --model mlp:4 --chains 2"
ok sample --sampler sghmc $tuned --epochs 5 -o from-sghmc
ok sample --sampler hmc $tuned --iterations 6 --steps 5 -o from-hmc
ok sample --sampler mclmc $tuned --iterations 6 --steps 5 -o from-mclmc
for from in sghmc hmc mclmc; do
    ok sample --sampler sghmc $tuned --epochs 3 --init from-$from -o $from-to-sghmc
    ok sample --sampler hmc $tuned --iterations 6 --steps 5 --init from-$from/1 -o $from-to-hmc
    ok sample --sampler mclmc $tuned --iterations 6 --steps 5 --init from-$from -o $from-to-mclmc
done

# ---- before the start ----
touch before after
ls >before
ok sample --dry-run $small --epochs 1000
check "a table of costs" grep -q "^time to the end .*[0-9] " stdout
check "of what is beside the program" grep -qE "^memory .*B   at most, beside the program itself$" stdout
check "of images" grep -qE "^images per second +[0-9,]+$" stdout
ok sample --dry-run --data toy --epochs 1000
check "rows of a table are no images" grep -qE "^rows per second +[0-9,]+$" stdout
ok sample --dry-run --json --data toy --epochs 1000
check "nor in JSON" grep -q '"rows_per_s": [0-9.e+]*[1-9]' stdout
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
