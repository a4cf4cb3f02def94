#!/bin/sh
# kelvin predict: the same inputs by every way in; constant memory; what does not fit. Usage: test_predict.sh KELVIN SOURCE_ROOT
. "$2/tests/shell.sh"

lines() { [ "$(wc -l <stdout)" -eq "$1" ]; }
# refused TEXT ARGUMENT...: what is wrong in a file or a run.
refused() {
    text=$1
    shift
    run predict "$@"
    check "kelvin predict $* should fail with: $text" complained 1 "$text"
}
same() { cmp -s "$1" "$2"; }
gone() { [ ! -e "$1" ] && [ ! -e "$1.tmp" ]; }

# 90 rows of three classes; one is named as CSV does not like it.
awk 'BEGIN {
    srand(3); OFS = ","; print "length", "width", "depth", "kind"
    split("setosa;\"versi, color\";virginica", name, ";")
    for (i = 0; i < 90; i++) print i % 3 + rand(), 3 - i % 3 * rand(), rand() * 5 + i % 3, name[i % 3 + 1]
}' >table.csv
ok sample --data csv:table.csv --model mlp:7 --epochs 60 --batch 20 --lr 3e-2 --prior normal:1 --schedule cyclical --chains 2 --samples 6 -o tables
for each in hmc mclmc; do
    ok sample --sampler $each --data csv:table.csv --model mlp:7 --iterations 20 --steps 10 --chains 2 -o by-$each
done
mv table.csv moved.csv # a run needs its data no more

# ---- one table, all ways in ----
ok predict tables moved.csv
cp stdout first.csv
check "a header that pandas likes" \
    [ "$(head -n 1 stdout)" = 'row,label,prediction,confidence,entropy,mutual_information,p_setosa,"p_versi, color",p_virginica' ]
check "a row for each input" lines 91
check "names with a comma are in quotes" grep -q '^2,"versi, color",' stdout
sed 's/"versi, color"/versi/g' first.csv | cut -d, -f3- | tail -n +2 >expected
others() { sed 's/"versi, color"/versi/g' stdout | cut -d, -f2- | tail -n +2 >found && same expected found; }

sed 's/"versi, color"/versi/' moved.csv | cut -d, -f1-3 >plain.csv
ok predict tables plain.csv
check "without labels: no column of them" [ "$(head -n 1 stdout | cut -d, -f1-3)" = "row,prediction,confidence" ]
check "without labels: the same probabilities" others
"$kelvin" predict tables - <plain.csv >stdout 2>stderr
check "from standard input: the same" others
tail -n +2 plain.csv | "$kelvin" predict tables - >stdout 2>stderr
check "without names: the same" others
check "what was guessed is said, once" \
    [ "$(cat stderr)" = "kelvin predict: standard input: has no names of columns: they are taken in the order of training, 'length', 'width', 'depth'" ]
printf '1,2,3,4\n1,2,3,setosa\n1,2,3,\n' >four.csv
ok predict tables four.csv
check "labels that were guessed" grep -qxF "kelvin predict: four.csv: has 4 columns, the network takes 3: column 4 is taken for the label" stderr
check "labels that are not known are empty" [ "$(cut -d, -f1,2 stdout | tr '\n' ' ')" = "row,label 1, 2,setosa 3, " ]
ok predict tables csv:four.csv,label=4
check "labels that were asked for are no guess" [ "$(wc -l <stderr)" = 1 ]
ok predict tables moved.csv
check "names: nothing is guessed" [ ! -s stderr ]

# ---- columns that are handed on ----
awk -F, -v OFS=, 'NR == 1 { print "id", $1, $2, "\"a, b\"", $3; next } { print "n" NR, $1, $2, "\"say \"\"" NR "\"\"\"", $3 }' plain.csv >ids.csv
ok predict tables ids.csv --keep 'a\, b,id'
check "their names" [ "$(head -n 1 stdout | cut -d, -f1-5)" = 'row,"a, b",id,prediction' ]
check "their fields" grep -q '^89,"say ""90""",n90,' stdout
sed 's/"versi, color"/versi/g; s/"[^,]*"/x/' stdout | cut -d, -f4- | tail -n +2 >found
check "the rest is the same" same expected found
ok predict tables ids.csv --keep id,length --json
check "as JSON" python3 -c "
import csv, json
for line, row in zip(open('stdout'), csv.DictReader(open('ids.csv'))):
    assert json.loads(line)['columns'] == {'id': row['id'], 'length': row['length']}, line"
awk 'BEGIN { print "length,width,depth,id"; for (i = 0; i < 70000; i++) print i % 7 ",1,2,x" i }' >long.csv
ok predict tables long.csv --keep id
check "of many rows, each its own" awk -F, 'NR > 1 && $2 != "x" $1 - 1 { exit 1 } END { exit NR != 70001 }' stdout
tail -n +2 plain.csv | "$kelvin" predict tables - --keep 2 2>stderr >stdout
check "by number" [ "$(cut -d, -f2 stdout | tail -n +2)" = "$(cut -d, -f2 plain.csv | tail -n +2)" ]
ok predict tables ids.csv --keep 1,4
check "by number: names all the same" [ "$(head -n 1 stdout | cut -d, -f1-5)" = 'row,id,"a, b",prediction' ]
check "and fields" grep -q '^89,n90,"say ""90""",' stdout
ok predict tables ids.csv --keep 'id,length,id,1,2'
check "each once" [ "$(head -n 1 stdout | cut -d, -f1-4)" = 'row,id,length,prediction' ]
sed '1s/"a, b"/"Länge, cm"/' ids.csv >länge.csv
ok predict tables länge.csv --keep 'Länge\, cm'
check "a comma in a name" [ "$(head -n 1 stdout | cut -d, -f1-4)" = 'row,"Länge, cm",prediction' ]
ok predict --help
check "help says how" grep -qF "'length\, cm'" stdout
wrong "ids.csv: there is no column 'idd' to keep; expected 'id', 'length', 'width', 'a, b', 'depth', or 1 .. 5" predict tables ids.csv --keep idd
wrong "csv:moved.csv,split=0.5: has no columns with names to keep" predict tables csv:moved.csv,split=0.5 --keep kind
awk -F, -v OFS=';' 'NR == 1 { print "note", $3, $1, $2; next } { print "\"two\nlines\"", $3, $1, $2 }' plain.csv >shuffled.csv
ok predict tables csv:shuffled.csv
check "columns in another order, among others: the same" others
{ printf '\357\273\277'; sed 's/$/\r/' plain.csv; } >windows.txt
ok predict tables windows.txt
check "a byte order mark and CRLF: the same" others
ok predict tables plain.csv --threads 1
check "on one thread: the same" others
run predict tables moved.csv -o out.csv
check "into a file" same out.csv first.csv
check "into a file: nothing on standard output" [ ! -s stdout ]

# ---- what is there is not lost ----
echo mine >out.csv
refused "out.csv: is there already; choose another name, or --force replaces it" tables moved.csv -o out.csv
check "a file that was there is as it was" [ "$(cat out.csv)" = mine ]
run predict tables moved.csv -o out.csv --force
check "unless it is forced" same out.csv first.csv
cp plain.csv input.csv
ln -s input.csv link.csv
mkdir album
: >album/one.png
for use in "input.csv input.csv" "csv:input.csv ./input.csv" "input.csv link.csv" "csv:moved.csv,test=input.csv input.csv" \
    "images:album album/one.png"; do
    refused "the input is read from it; choose another name" tables ${use% *} -o ${use#* } --force
done
"$kelvin" predict tables - -o input.csv --force <input.csv >stdout 2>stderr
echo $? >code
check "nor through standard input" complained 1 "input.csv: the input is read from it"
cp input.csv next.csv.tmp
refused "next.csv.tmp: the input is read from it" tables next.csv.tmp -o next.csv
check "nor by the name that a file has before it is whole" same next.csv.tmp plain.csv
check "the input is as it was" same input.csv plain.csv
cp moved.csv table.csv
refused "table.csv: is of the data set that tables was made from; choose another name" tables plain.csv -o table.csv --force
check "the data set is as it was" same table.csv moved.csv
rm table.csv
refused "tables/run.json: is there already, in the folder of a run, where nothing is replaced" tables moved.csv -o tables/run.json --force
refused "album: is a folder; expected the name of a file" tables moved.csv -o album --force
mkfifo tube
refused "tube: is a device or a pipe" tables moved.csv -o tube --force

# ---- JSON ----
ok predict tables moved.csv --json
check "JSON lines" python3 -c "
import csv, json
rows = [json.loads(line) for line in open('stdout')]
for a, b in zip(rows, csv.DictReader(open('first.csv'))):
    assert a['row'] == int(b['row']) and a['label'] == b['label'] and a['prediction'] == b['prediction'], a
    assert all(abs(a[k] - float(b[k])) < 1e-15 for k in ('confidence', 'entropy', 'mutual_information')), a
    assert all(float(b['p_' + k]) == p for k, p in a['probabilities'].items()), a
    assert abs(sum(a['probabilities'].values()) - 1) < 1e-8 and a['confidence'] == max(a['probabilities'].values()), a
assert len(rows) == 90"

# ---- against NumPy: the network, its standardised inputs and the mean of softmax, from the files alone ----
if /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
    check "probabilities as NumPy has them" /usr/bin/python3 -c "
import csv, glob, json, struct
import numpy as np
def load(path):
    raw = open(path, 'rb').read()
    size = struct.unpack('<Q', raw[:8])[0]
    head = json.loads(raw[8:8 + size])
    return [np.frombuffer(raw[8 + size:][slice(*t['data_offsets'])], '<f4').reshape(t['shape']).astype(float)
            for name, t in head.items() if name not in ('__metadata__', 'history')]
about = json.load(open('tables/data.json'))
x = np.array([[float(r[c]) for c in ('length', 'width', 'depth')] for r in csv.DictReader(open('moved.csv'))])
x = (x - about['mean']) / about['deviation']
p = []
for path in sorted(glob.glob('tables/chain-*/samples-*.safetensors')):
    for w1, b1, w2, b2 in zip(*load(path)):
        z = np.maximum(x @ w1.T + b1, 0) @ w2.T + b2
        z = np.exp(z - z.max(1, keepdims=True))
        p.append(z / z.sum(1, keepdims=True))
p = np.array(p)
assert len(p) == 6
def entropy(p): return -(p * np.log(p)).sum(-1)
mean = p.mean(0)
rows = list(csv.DictReader(open('first.csv')))
found = np.array([[float(r['p_' + c]) for c in about['classes']] for r in rows])
# logits are floats, some units large: 1e-6 of them
assert np.abs(found - mean).max() < 1e-6, np.abs(found - mean).max()
for name, want in (('entropy', entropy(mean)), ('mutual_information', entropy(mean) - entropy(p).mean(0)), ('confidence', mean.max(1))):
    assert np.abs(np.array([float(r[name]) for r in rows]) - want).max() < 2e-6, name
assert [r['prediction'] for r in rows] == [about['classes'][i] for i in mean.argmax(1)]"
else
    echo "skipped: python3-numpy is not installed, nothing to compare with"
fi

# ---- memory: rows go through, however many ----
peak() { # ROWS
    awk -v n="$1" 'BEGIN { print "length,width,depth"; for (i = 0; i < n; i++) print i % 7 ",1." i % 10 "," i % 3 }' >many.csv
    ASAN_OPTIONS=$ASAN_OPTIONS:quarantine_size_mb=1 /usr/bin/time -f %M "$kelvin" predict tables many.csv 2>kilobytes >stdout && tail -n 1 kilobytes
}
if [ -x /usr/bin/time ]; then
    few=$(peak 100000)
    many=$(peak 400000)
    check "400,000 rows come out" lines 400001
    check "their memory is that of a quarter of them: $many kB, $few kB" [ "$many" -lt $((few + few / 10 + 2000)) ]
else
    echo "skipped: /usr/bin/time is not installed, memory is not measured"
fi
awk 'BEGIN { print "length,width,depth"; for (i = 0; i < 20000; i++) print i % 7 ",1." i % 10 "," i % 3 }' >many.csv

# ---- damaged files: the sentence names a way out, and it is one ----
damage() { printf '\1\2\3' | dd of="$1" bs=1 seek=$(($(wc -c <"$1") - 9)) conv=notrunc 2>/dev/null; }
hurt() { # RUN FILE
    rm -rf hurt
    cp -r $1 hurt
    damage hurt/$2
}
go_on() { # RUN FILE: which comes back
    mv moved.csv table.csv
    ok resume hurt
    mv table.csv moved.csv
    check "$2 of $1 is as it was" same hurt/$2 $1/$2
    check "and so are all others" diff -rq --exclude=times.csv --exclude=lock hurt $1
}
not_as_left="is not as the run left it: it has crc32 [0-9a-f]{8}, expected [0-9a-f]{8}"
# What nothing follows from: its chain is sampled anew.
for each in tables by-hmc by-mclmc; do
    for file in samples-000.safetensors state.safetensors; do
        hurt $each chain-001/$file
        refused "hurt/chain-001/$file: is not as the run left it" hurt plain.csv
        check "the way out of a damaged $file" \
            grep -qE "$not_as_left; remove hurt/chain-001, and kelvin resume hurt samples that chain anew\$" stderr
        mv moved.csv table.csv
        run resume hurt
        mv table.csv moved.csv
        check "which resume names too" complained 1 "remove hurt/chain-001, and kelvin resume hurt samples that chain anew"
        rm -r hurt/chain-001
        go_on $each chain-001/$file
    done
done
hurt tables chain-001/samples-000.safetensors
rm -r hurt/chain-001
go_on tables chain-001/samples-000.safetensors
ok predict hurt plain.csv
check "what is said is the same" others
# What follows from other files: resume makes it again.
for each in tables by-hmc by-mclmc; do
    for file in logits_train.npy labels_train.npy chain-001/history.csv; do
        hurt $each $file
        run diagnose hurt
        check "a damaged $file" grep -qE "hurt/$file: $not_as_left; kelvin resume hurt makes it again" stderr stdout
        go_on $each $file
    done
done
cut_off() {
    head -c 500 tables/$1 >hurt/$1
    run eval hurt --on train
    check "a $1 that is cut off" complained 1 "hurt/$1: is not as the run left it: it has 500 bytes, expected $(wc -c <tables/$1); kelvin resume hurt makes it again"
    go_on tables $1
}
hurt tables logits_train.npy
go_on tables logits_train.npy
cut_off logits_train.npy
cut_off labels_train.npy
echo '{"data": 3}' >hurt/data.json
refused 'hurt/data.json: is not as the run left it: it has 12 bytes' hurt plain.csv
check "data.json is made again" complained 1 "; kelvin resume hurt makes it again"
go_on tables data.json
rm hurt/data.json
refused 'hurt/run.json: its data' hurt plain.csv
go_on tables data.json
rm hurt/labels_train.npy
run eval hurt --on train
check "labels that are gone" complained 1 "hurt: has no labels_train.npy; kelvin resume hurt makes it again"
damage hurt/manifest
refused "hurt/manifest: is damaged" hurt plain.csv
check "a damaged manifest" complained 1 "; remove it, then kelvin resume hurt makes it again"
rm hurt/manifest
refused "hurt" hurt plain.csv
check "a manifest that is gone" complained 1 "kelvin resume hurt makes it again"
go_on tables manifest
damage hurt/run.json
refused "hurt/run.json: is not as the run left it" hurt plain.csv
check "a damaged run.json" complained 1 "; put it back, or start a new run with --config"

# ---- streams ----
# until COMMAND...: waits for it, but not forever.
until_() {
    i=0
    until "$@" || [ $i -ge 18000 ]; do sleep 0.05; i=$((i + 1)); done
}
out_of_it() { [ "$(wc -l <slow)" -ge 3 ]; }
: >slow
{ head -n 3 plain.csv; until_ [ -e seen ]; } | "$kelvin" predict tables - >slow 2>stderr &
until_ out_of_it
check "rows come out while they go in" out_of_it
: >seen
wait
"$kelvin" predict tables many.csv 2>stderr | head -n 2 >stdout
check "a reader that leaves early: no complaint" [ ! -s stderr ]
check "a reader that leaves early has its rows" lines 2
mkfifo pipe
{ cat plain.csv; exec sleep 900; } >pipe &
writer=$!
"$kelvin" predict tables - -o stopped.csv <pipe 2>stderr &
reader=$!
until_ [ -e stopped.csv.tmp ]
check "a file that is being written has another name" [ -e stopped.csv.tmp ]
caught $reader
kill -TERM $reader
wait $reader 2>killed
check "stopped: nothing is left" gone stopped.csv
kill $writer 2>stderr
: >stderr

# ---- pictures and arrays ----
ok sample --model mlp:8 --epochs 30 --lr 3e-3 --chains 2 -o digits
ok predict digits digits
check "a data set with a test part: that part" lines 360
check "its labels" grep -q '^1,[0-9],[0-9],0\.' stdout
accuracy() { awk -F, 'NR > 1 { n++; hit += $2 == $3 } END { exit !(hit > 0.8 * n) }' stdout; }
check "most of them are right" accuracy
cp stdout test.csv
if /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
    check "the test part of its logits file" /usr/bin/python3 -c "
import csv, numpy as np
z = np.load('digits/logits_test.npy').astype(float)
z = np.exp(z - z.max(2, keepdims=True))
p = (z / z.sum(2, keepdims=True)).mean(0)
rows = list(csv.DictReader(open('test.csv')))
found = np.array([[float(r['p_%d' % c]) for c in range(10)] for r in rows])
# the same logits; nine digits are printed
assert np.abs(found - p).max() < 1e-9, np.abs(found - p).max()
assert [int(r['label']) for r in rows] == list(np.load('digits/labels_test.npy'))"
fi
if /usr/bin/python3 -c 'import numpy, PIL' 2>/dev/null; then
    # the same images as pictures, in folders and without, as arrays of bytes and of floats
    /usr/bin/python3 -c "
import os, numpy as np
from PIL import Image
rng = np.random.default_rng(1)
x = rng.integers(0, 256, (24, 8, 8), dtype=np.uint8)
np.save('x.npy', x); np.save('f.npy', np.asfortranarray(x / np.float32(255))); np.save('y.npy', np.arange(24) % 10)
for i, a in enumerate(x):
    for name in ('flat/%02d.png' % i, 'folders/%d/%02d.png' % (i % 10, i)):
        os.makedirs(os.path.dirname(name), exist_ok=True)
        Image.fromarray(a).save(name)
Image.fromarray(x[3]).convert('RGB').resize((16, 16), Image.NEAREST).save('large.png')
Image.fromarray(x[3]).resize((64, 64)).save('photo.jpg')
np.save('own.npy', x // 16)
np.save('wide.npy', np.zeros((5, 3, 32, 32), np.uint8)); np.save('t.npy', np.zeros((5, 3)))"
    ok predict digits npy:x.npy
    cp stdout array.csv
    ok predict digits f.npy
    check "floats in another order: the same" same stdout array.csv
    ok predict digits images:flat
    cut -d, -f2- array.csv | tail -n +2 >expected
    cut -d, -f2- stdout | tail -n +2 >found
    check "pictures: the same" same expected found
    check "pictures have their paths" grep -q '^flat/05.png,' stdout
    check "pictures: the column is called file" [ "$(head -n 1 stdout | cut -d, -f1-2)" = "file,prediction" ]
    ok predict digits images:folders
    check "folders are labels" grep -q '^folders/5/15.png,5,' stdout
    green=$(printf 'gr\374n')
    mkdir -p colours/"$green" colours/red
    cp flat/0*.png colours/"$green"
    cp flat/1*.png colours/red
    ok sample --data images:colours --model mlp:3 --epochs 1 --chains 1 -o colours.run
    ok predict colours.run images:colours
    check "a folder whose name is not UTF-8 is the class that it was" [ "$(cut -d, -f2 stdout | grep -c grün)" = 10 ]
    ok predict colours.run images:colours,split=0.5
    check "and so it is in a part" grep -q ',grün,' stdout
    ok predict digits npy:x.npy,y.npy
    check "an array that goes to 255 is no guess" [ ! -s stderr ]
    check "labels of an array" grep -q '^16,5,' stdout
    ok predict digits own.npy
    check "a scale that was guessed" grep -q "own.npy: no number is above 16: that is taken for white, as in training, not 255" stderr
    /usr/bin/python3 -c "import numpy as np; np.save('black.npy', np.zeros((3, 8, 8), np.uint8))"
    ok predict digits black.npy
    check "of an array that is all black nothing is guessed" [ ! -s stderr ]
    ok predict digits flat/03.png
    check "one picture" [ "$(tail -n 1 stdout | cut -d, -f2-)" = "$(sed -n 5p array.csv | cut -d, -f2-)" ]
    check "one picture: one row" lines 2
    ok predict digits large.png --json
    check "one picture as JSON, made smaller and grey" json
    ok predict digits photo.jpg
    check "a photo" lines 2

    # ---- what does not fit: a sentence, exit 1 ----
    refused "wide.npy: has images of 3 x 32 x 32 (channels x height x width); the network takes images of 1 x 8 x 8" digits wide.npy
    refused "t.npy: has rows of 3 numbers; the network takes images of 1 x 8 x 8" digits t.npy
    refused "plain.csv: is a table; the network takes images of 1 x 8 x 8" digits plain.csv
    refused "photo.jpg: is a picture; the network takes rows of 3 numbers" tables photo.jpg
    /usr/bin/python3 -c "
import numpy as np
from PIL import Image
a = Image.open('photo.jpg')
for kind in 'gif', 'bmp', 'tiff', 'webp': a.save('photo.' + kind)
np.savez('x.npz', x=np.zeros(3))"
    for kind in GIF BMP TIFF WebP; do
        file=photo.$(echo $kind | tr A-Z a-z)
        refused "$file: is a $kind picture; expected PNG or JPEG" digits $file
        refused "$file: is a $kind picture; expected a table, as CSV" tables $file
    done
    refused "x.npz: is a ZIP archive (such as .npz and .xlsx); expected pictures as PNG or JPEG, or an array (.npy)" digits x.npz
    cp photo.jpg wrong.csv
    refused "wrong.csv: is a JPEG picture; expected a table, as CSV" tables wrong.csv
    "$kelvin" predict digits - <photo.jpg >stdout 2>stderr
    echo $? >code
    check "a picture on standard input" complained 1 "standard input: is a JPEG picture; pictures are read from files"
    "$kelvin" predict tables - <x.npy >stdout 2>stderr
    echo $? >code
    check "an array on standard input" complained 1 "standard input: is an array (.npy); expected a table, as CSV"
else
    echo "skipped: python3-numpy or python3-pil is not installed, nothing to make pictures with"
fi
refused "/: is a folder; the network takes rows of 3 numbers: give a table, as CSV" tables /
mkdir -p root/bin
refused "kelvin predict: root/bin: holds no pictures" digits root/
head -c 99 /dev/zero | tr '\0' '\1' >zeros
printf '\0' >>zeros
refused "zeros: is not text; expected a table, as CSV" tables zeros
printf 'BMI,BZh,%%PD\n1,2,3\n' >names.csv
refused "the network also takes" tables names.csv
cut -d, -f1,3 plain.csv >short.csv
refused "short.csv: line 1: the file has 'length', 'depth'; the network also takes 'width'" tables short.csv
sed 's/width/widht/' plain.csv >typo.csv
refused "no column is called 'width', which the network takes; did you mean 'widht'?" tables typo.csv
sed '5s/.*/1,2,three/' plain.csv >word.csv
refused "word.csv: line 5, column 3 ('depth'): 'three' is not a number" tables word.csv -o word.out
check "a failure leaves no file" gone word.out
refused "'nothing.csv' is neither a file that can be read nor a data set that is known" tables nothing.csv
refused "toy: has rows of 2 numbers; the network takes rows of 3 numbers" tables toy
refused "nowhere" nowhere plain.csv
refused "no/out.csv: could not be written" tables plain.csv -o no/out.csv
: >empty.csv
refused "empty.csv: is empty" tables empty.csv
wrong "which run, and which inputs?" predict
wrong "which inputs?" predict tables
wrong "the name of the file is empty" predict tables plain.csv -o ""
wrong "-o -: give the name of a file" predict tables plain.csv -o -
wrong "the name of a run is empty" predict "" plain.csv
wrong "unexpected argument" predict tables plain.csv plain.csv
wrong "--threads is 100000" predict tables plain.csv --threads 100000
head -n 1 plain.csv >none.csv
ok predict tables none.csv
check "no rows: names of columns all the same" lines 1

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
