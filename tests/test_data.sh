#!/bin/sh
# kelvin data from outside: what is built in, one's own files, contact sheets, and broken files of every kind.
#
#     test_data.sh KELVIN SOURCE_ROOT
. "$2/tests/shell.sh"

# No test goes to the network, or to the user's own cache.
export KELVIN_DATA="$work/cache" https_proxy=http://127.0.0.1:1 http_proxy=http://127.0.0.1:1
unset XDG_CACHE_HOME

# said TEXT: standard output has the text in it.
said() {
    grep -qF -e "$1" stdout
}

# broken PLACE-AND-EXPECTATION ARGUMENT...: exit 1, one sentence with the texts in it (separated by |), nothing written.
broken() {
    texts=$1
    shift
    find . ! -name stdout ! -name stderr ! -name code | sort >"$work/../before.$$"
    run "$@"
    find . ! -name stdout ! -name stderr ! -name code | sort >"$work/../after.$$"
    check "kelvin $* should write nothing" cmp -s "$work/../before.$$" "$work/../after.$$"
    rm -f "$work/../before.$$" "$work/../after.$$"
    while [ -n "$texts" ]; do
        text=${texts%%|*}
        case $texts in *"|"*) texts=${texts#*|} ;; *) texts= ;; esac
        check "kelvin $* should fail with: $text" complained 1 "$text"
    done
}

# ---- what there is ----
ok data --list
for kind in toy digits cifar10 mnist csv: npy: idx: images: cifar:; do check "$kind is listed" said "$kind"; done
check "not fetched yet" said "; not in the cache yet"
ok data --list --json
check "list as JSON" json
ok data toy
check "18 points" said "training     18, 9 of each class"
ok data digits
check "digits" said "training     1438, 139 to 146 of each class"
check "their test part" said "test         359, 35 to 37 of each class"
check "their mean" said "mean         0.3054759"
ok data digits --json
check "digits as JSON" json

# ---- wrong use ----
wrong "which data set?" data
wrong "did you mean 'digits'?" data digit
wrong "'digits:x': 'x' is one too many" data digits:x
wrong "FILE is missing" data csv:
wrong "give --show PNG as well" data digits --augment paper
wrong "augmentation" data digits --show a.png --augment papre
wrong "--part is 'tset'; expected train or test" data digits --show a.png --part tset
wrong "toy is a table: only images can be shown" data toy --show a.png
wrong "toy has no test part" data toy --show a.png --part test
wrong "digits is not fetched" data digits --from elsewhere
check "no picture was made" [ ! -e a.png ]
wrong "--list lists all data sets: leave out 'toy'" data --list toy
mkdir photos
touch plain.csv plain.TSV plain.npy plain.dat "com,ma.csv" "com,ma.npy"
for name in plain.csv plain.TSV plain.dat com,ma.csv; do broken "$name: is empty; expected rows" data $name; done
wrong "plain.npy is an array: say how to read it, as npy:X,Y (see kelvin data --list)" data plain.npy
wrong "com,ma.npy is an array: say how to read it (see kelvin data --list)" data com,ma.npy
broken "photos: holds no folders; expected one for each class" data photos
broken "missing.csv: could not be read" data missing.csv
wrong "unknown data set 'missing.dat'" data missing.dat

# ---- contact sheets ----
ok data digits --show sheet.png
check "where the sheet is, said last" sh -c '[ "$(tail -n 1 stdout)" = "sheet        sheet.png" ]'
ok data digits --show again.png --json
check "JSON and nothing else" json
check "the same picture again" cmp -s sheet.png again.png
ok data digits --show other.png --seed 1
check "another seed, other images" sh -c '! cmp -s sheet.png other.png'
ok data digits --show test.PNG --part test
check "the test part, other images" sh -c '! cmp -s sheet.png test.PNG'
ok data digits --show paper.png --augment paper
ok data digits --show later.png --augment paper --epoch 3
python3 "$root/tests/contact_sheet.py" "$root/src/data/digits.csv" sheet.png paper.png later.png 2>stderr
check "what is on the sheets" [ $? = 0 ]
ok data digits --show reference.png --augment reference
check "a picture" sh -c 'head -c 4 paper.png | grep -q PNG'
run data digits --show nowhere/sheet.png
check "no folder for the picture" complained 1 "nowhere/sheet.png: could not be written"
for name in '' sheet sheet.jpg png /dev/null photos; do
    wrong "--show is '$name'; expected a name that ends in .png" data digits --show "$name"
done
mkdir folder.png
mkfifo fifo.png
for name in folder.png fifo.png; do wrong "$name: is not a regular file" data digits --show $name; done
check "a folder and a FIFO are left alone" [ -d folder.png -a -p fifo.png ]
mkdir there
cp other.png there/target.PNG
ln -s there/target.PNG link.png
ok data digits --show link.png
check "a link stays a link" [ -L link.png ]
check "its target is replaced" cmp -s there/target.PNG sheet.png
ln -s nowhere.png dangling.png
run data digits --show dangling.png
check "a link that leads nowhere" complained 1 "dangling.png: could not be written"
check "and stays" [ -L dangling.png -a ! -e nowhere.png ]

# ---- tables ----
cat >flowers.csv <<'CSV'
width,"length, cm",kind
1,10,rose
2,20,"tulip ""red"""
3,30,rose
4,40,"tulip ""red"""
5,50,rose
6,60,"tulip ""red"""
CSV
ok data csv:flowers.csv
check "split" said "training     4, 2 of each class"
check "class names" said 'classes      2: rose, tulip "red"'
check "column names" said "length, cm"
check "column of labels" said "label        kind"
ok data csv:flowers.csv,split=0
check "no split" said "training     6, 3 of each class"
check "mean and deviation" sh -c "grep -q 'length, cm  *number  *35  *17.07825128$' stdout"
cp stdout by-format
ok data flowers.csv,split=0
check "a file alone is a table" cmp -s stdout by-format
ok sample --sampler hmc --data csv:flowers.csv --model mlp:4 --iterations 10 --steps 10 -o flowers-run
check "a posterior of one's own table" [ -s flowers-run/logits_train.npy ]
mkdir -p away
cd away
ok diagnose ../flowers-run
cd ..
cp away/stdout as-it-was
grep -v data_crc32 flowers-run/run.json >old.json
ok sample --config old.json -o old-run
ok diagnose old-run
check "a configuration without a checksum of the data" cmp -s as-it-was stdout
cp old.json old-run/run.json
broken "old-run/run.json: is not as the run left it|put it back" diagnose old-run
sed -i 's/tulip/daisy/' flowers.csv
broken "flowers.csv has changed since" sample --config flowers-run/run.json -o never
ok diagnose flowers-run
check "a run that is only looked at does not need its data" cmp -s as-it-was stdout
sed -i 's/daisy/tulip/' flowers.csv

# All samplers, and both parts; an old mark is of the training part alone.
tail -n 5 flowers.csv >test.csv
small="--data csv:flowers.csv,test=test.csv,label=3 --model mlp:4 --chains 1"
ok sample --sampler hmc $small --iterations 10 --steps 10 -o test-hmc
ok sample --sampler mclmc $small --iterations 10 --steps 10 -o test-mclmc
ok sample $small --epochs 2 -o test-sghmc
cp -r test-sghmc old-mark
sed -i 's/\("data_crc32": "[0-9a-f]*-[0-9a-f]*\)[^"]*/\1/' old-mark/run.json
cp test.csv was.csv
sed -i 's/30/31/' test.csv
for which in test-hmc test-mclmc test-sghmc; do
    broken "label=3 has changed since (test inputs);" sample --config $which/run.json -o never
    ok diagnose $which
done
for which in test-hmc test-mclmc test-sghmc; do
    run resume $which
    check "and by resume $which" complained 1 "$which/run.json: the data set"
    check "with what to do" complained 1 "label=3 has changed since (test inputs); put the old data back"
done
ok sample --config old-mark/run.json -o of-an-old-mark
sed -i 's/^1,/9,/' flowers.csv
broken "has changed since (training inputs);" sample --config old-mark/run.json -o never
broken "has changed since (training inputs, test inputs);" sample --config test-hmc/run.json -o never
sed -i 's/^9,/1,/' flowers.csv
sed 's/3,30,rose/3,30,"tulip ""red"""/' was.csv >test.csv
broken "test-hmc/run.json: the data set csv:|has changed since (test labels); leave the field data_crc32 out of a copy of it to sample the new data" \
    sample --config test-hmc/run.json -o never
broken "has changed since (test labels)" sample --config test-sghmc/run.json -o never
broken "has changed since (test labels)" sample --config test-sghmc/run.json --data csv:$work/flowers.csv,test=$work/test.csv,label=3 -o never
ok sample --config test-sghmc/run.json --data csv:flowers.csv,label=3 --batch 4 -o other-data
cp was.csv test.csv
ok sample --config test-sghmc/run.json -o same-again
check "the same data, the same run" cmp test-sghmc/run.json same-again/run.json
ok diagnose test-hmc
ok diagnose test-sghmc
mv flowers.csv moved.csv
ok diagnose flowers-run
check "whose file is missing" cmp -s as-it-was stdout
run resume test-sghmc
check "which is needed to go on" complained 1 "test-sghmc/run.json: its data: $work/flowers.csv: could not be read"
mv moved.csv flowers.csv
mkdir -p "a,b"
cp flowers.csv "a,b/c,d.csv"
cd "a,b"
ok data 'csv:c\,d.csv,test=../flowers.csv,label=kind'
check "whole paths, commas marked" said "data         csv:$work/a\,b/c\,d.csv,test=$work/a\,b/../flowers.csv,label=kind"
sed -n 's/^data  *//p' stdout >../name
cd ..
ok data "$(cat name)"
check "the same from elsewhere" said "data         $(cat name)"

printf 'a,b,a\n1,2,x\n3,4,y\n' >twice.csv
printf '1,2,a\n3,4\n5,6,b\n' >short.csv
broken "short.csv|line 2|expected 3" data csv:short.csv
printf '1,2.5,a\n3,four,b\n4,1.5,a\n5,2,b\n' >text.csv
broken "text.csv|line 2|column 2|'four'|expected a number" data csv:text.csv,split=0
printf '1,2,a\n3,-inf,b\n4,1,a\n5,2,b\n' >inf.csv
broken "inf.csv|line 2|column 2|inf" data csv:inf.csv,split=0
printf '1,a\n2,a\n3,b\n' >single.csv
broken "single.csv|class 'b' has one member (row 3)|expected at least 2" data csv:single.csv
: >empty.csv
broken "empty.csv" data csv:empty.csv
broken "missing.csv|could not be read" data csv:missing.csv
wrong "flowers.csv: no column is called 'colour'" data csv:flowers.csv,label=colour
wrong "data 'csv:flowers.csv,splt=0.1': unknown option 'splt'; expected label, test, header, split, seed, drop, keep, id, weight or tails" \
    data csv:flowers.csv,splt=0.1
wrong "nothing follows the last comma" data csv:flowers.csv,
wrong "data 'csv:flowers.csv,test=t.csv,seed=1': seed is given together with test" data csv:flowers.csv,test=t.csv,seed=1
wrong "2 columns are called 'a'" data csv:twice.csv,label=a
printf 'kind,size\nrose,1\ntulip,2\n' >first.csv
broken "first.csv: class '1' has one member|label=COLUMN names another" data csv:first.csv
printf 'a;b\n1,5;x\n2,5;y\n' >comma.csv
broken "comma.csv: line 2, column 1|a decimal comma?" data csv:comma.csv,split=0
printf '1,x\n2,caf\351\n' >latin1.csv
broken "latin1.csv: line 2, byte 6|expected text in UTF-8|iconv -f latin1 -t utf-8" data csv:latin1.csv
printf '1,x\r2,y\r' >mac.csv
broken "mac.csv: line 1|old Macs|expected LF or CRLF" data csv:mac.csv
printf '0,1,target\n1,2,0\n3,4,1\n5,6,0\n7,8,1\n' >pandas.csv
ok data csv:pandas.csv,split=0
check "numbers for names" said "training     4, 2 of each class"

# ---- pictures ----
mkdir -p empty/a empty/b none
broken "none" data images:none
broken "empty/a" data images:empty
broken "nowhere" data images:nowhere
python3 - <<'PYTHON'
import os, struct, zlib

def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

def png(path, colour, depth, rows, *extra, width=4):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    head = struct.pack(">IIBBBBB", width, len(rows), depth, colour, 0, 0, 0)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + b"".join(extra)
                   + chunk(b"IDAT", zlib.compress(b"".join(b"\0" + row for row in rows))) + chunk(b"IEND", b""))

for name in "ab":
    for i in range(3):
        png(f"grey/{name}/{i}.png", 0, 8, [bytes(range(10 * i, 10 * i + 4))] * 4)
        png(f"mixed/{name}/{i}.png", 0, 8, [bytes(5 + i)] * (5 + i), width=5 + i)
        png(f"wide/{name}/{i}.png", 0, 8, [bytes(300)] * 150, width=300)
    png(f"kinds/{name}/16-bit.png", 0, 16, [bytes(range(8))] * 4)
    png(f"kinds/{name}/palette.png", 3, 8, [bytes([0, 1, 2, 1])] * 4, chunk(b"PLTE", bytes(range(9))))
whole = open("grey/b/2.png", "rb").read()
for name, text in {"cut": whole[:-20], "crc": whole.replace(b"IDAT", b"IDAU"), "text": b"not a picture"}.items():
    for c in "ab":
        os.makedirs(f"{name}/{c}", exist_ok=True)
        for i in range(2):
            open(f"{name}/{c}/{i}.png", "wb").write(whole)
    open(f"{name}/b/1.png", "wb").write(text)
for c in "ab":
    os.makedirs(f"jpeg/{c}", exist_ok=True)
    for i in range(2):
        open(f"jpeg/{c}/{i}.jpg", "wb").write(b"\xff\xd8\xff\xe0 and no more")
def classes(folder, names, n=3):
    for k, name in enumerate(names):
        for i in range(n):
            png(f"{folder}/{name}/{i}.png", 0, 8, [bytes([k, 20 * i, 9, 9])] * 4)
classes("many", [f"{i:02}" for i in range(41)])
classes("forty", [f"{i:02}" for i in range(40)])
classes("twelve", "ab", 12)
# Each pair gives the same sheet.
classes("accents", ["S\u00e3o Paulo", "stra\u00dfe \u00ff\u00e9", "z\u00c0\u00c7\u00d6\u00dd"])
classes("no-accents", ["Sao Paulo", "strase ye", "zACOY"])
classes("apart", ["e\u0301te\u0301", "z"])
classes("joined", ["ete", "z"])
classes("strange", ["\u0161", "\u65e5\u672c"])
classes("asked", ["?", "??"])
classes("long", ["a" * 25, "b" * 24])
classes("cut-long", ["a" * 21 + "...", "b" * 24])
open("short.npy", "wb").write(b"\x93NUMPY\x01\x00\x40\x00{'descr")
PYTHON
ok data images:grey
check "pictures" said "4 x 4 pixels, 1 channel"
for folder in grey grey,split=0 ./grey/; do
    ok data "images:$folder"
    cp stdout named
    ok data "$folder"
    check "$folder alone is images:$folder" cmp -s named stdout
done

# side FILE BYTE: the width (byte 16) or height (byte 20) of a PNG file, if it is below 65536.
side() {
    od -An -tu1 -j $(($2 + 2)) -N 2 "$1" | { read -r high low && echo $((256 * high + low)); }
}
ok data images:grey,split=0 --show sheet.png
check "as wide as a class of 3 needs" [ "$(side sheet.png 16)" -eq $((20 + 3 * 68)) ]
check "two rows" [ "$(side sheet.png 20)" -eq $((4 + 2 * 68)) ]
ok data images:twelve,split=0 --show sheet.png
check "10 columns at most" [ "$(side sheet.png 16)" -eq $((20 + 10 * 68)) ]
ok data images:grey,split=0 --show sheet.png --augment paper
check "10 columns of epochs" [ "$(side sheet.png 16)" -eq $((20 + 10 * 68)) ]
ok data images:wide,split=0 --show sheet.png
check "large ones are drawn smaller: 128 wide" [ "$(side sheet.png 16)" -eq $((20 + 3 * 132)) ]
check "and 64 high" [ "$(side sheet.png 20)" -eq $((4 + 2 * 68)) ]
ok data images:many,split=0 --show sheet.png
check "not all classes" sh -c '[ "$(tail -n 1 stdout)" = "sheet        sheet.png (the first 40 of 41 classes)" ]'
check "40 rows" [ "$(side sheet.png 20)" -eq $((4 + 40 * 68)) ]
ok data images:forty,split=0 --show sheet.png
check "all classes" sh -c '[ "$(tail -n 1 stdout)" = "sheet        sheet.png" ]'
for pair in accents:no-accents apart:joined strange:asked long:cut-long; do
    ok data "images:${pair%:*},split=0" --show one.png
    ok data "images:${pair#*:},split=0" --show two.png
    check "names of $pair look alike" cmp -s one.png two.png
done
check "24 letters are shown" [ "$(side one.png 16)" -eq $((8 + 24 * 12 + 3 * 68)) ]
mkdir gif gif/a gif/b
cp grey/a/0.png gif/a
cp grey/b/0.png gif/b
touch gif/b/Thumbs.db gif/b/1.GIF
broken "gif/b/1.GIF|kind that is not read|expected .png, .jpg or .jpeg: convert it or take it away" data images:gif
mkdir m3
for part in train val test; do cp -r grey m3/$part; done
broken "m3: holds train, val and test; expected two parts: name them, as images:m3/train,test=m3/test" data images:m3
ok data images:m3/train,test=m3/test
ok data images:kinds
check "16 bits and a palette are converted" said "4 x 4 pixels, 3 channels"
ok data images:mixed
check "pictures of different sizes" said "32 x 32 pixels"
ok data images:mixed,size=6
check "resized" said "6 x 6 pixels, 1 channel"
for name in cut crc text; do broken "$name/b/1.png" data "images:$name"; done
broken "jpeg/a/0.jpg" data images:jpeg
broken "short.npy" data npy:short.npy,short.npy

# ---- binary files ----
printf '\0\0\10\3\0\0\0\2\0\0\0\1\0\0\0\2abcd' >images.idx
printf '\0\0\10\1\0\0\0\2\0\1' >labels.idx
printf '\0\0\10\1\0\0\0\3\0\1\0' >three.idx
printf '\0\0\15\3\0\0\0\2\0\0\0\1\0\0\0\2abcd' >float.idx
printf '\0\0\10\3\377\377\377\377\377\377\377\377\377\377\377\377abcd' >huge.idx
printf 'hello world, hello world' >magic.idx
head -c 18 images.idx >cut.idx
cat images.idx labels.idx >long.idx
ok data idx:images.idx,labels.idx,split=0
check "IDX" said "2 x 1 pixels, 1 channel"
printf '\0\0\10\1\0\0\0\2\7\3' >gaps.idx
ok data idx:images.idx,gaps.idx,split=0
check "labels with gaps" said "classes      2: 3, 7"
broken "images.idx|class '0' has one member" data idx:images.idx,labels.idx
broken "three.idx|3|2" data idx:images.idx,three.idx,split=0
for name in float huge magic cut long; do broken "$name.idx|expected" data "idx:$name.idx,labels.idx,split=0"; done
mkdir batch wrong torn
python3 -c "
import sys
for path, labels, extra in ('batch', range(10), 0), ('wrong', [0, 1, 10], 0), ('torn', range(10), -1):
    text = b''.join(bytes([y]) + bytes(3072) for y in list(labels) * 2)
    open(path + '/data_batch_1.bin', 'wb').write(text[:len(text) + extra])"
ok data cifar:batch
check "records" said "training     10, 1 of each class"
broken "wrong/data_batch_1.bin|label 10|expected" data cifar:wrong
broken "torn/data_batch_1.bin|61459|3073" data cifar:torn
broken "grey" data cifar:grey

# ---- fetched ----
mkdir elsewhere
broken "cifar10/data_batch_1.bin is not there yet; get it with: kelvin data cifar10" sample --data cifar10 -o never
for name in cifar10 mnist; do
    env PATH="$work/elsewhere" "$kelvin" data $name >stdout 2>stderr
    echo $? >code
    check "$name without network and npm" complained 1 "$KELVIN_DATA"
done
check "which file to put where" grep -q "npm" stderr
wrong "--from is ''; expected a file, a folder, or a URL with http:// or https://" data mnist --from ''
wrong "--from is 'ftp://x/y'" data mnist --from ftp://x/y
broken "nowhere: could not be read" data mnist --from nowhere
KELVIN_DATA=/dev/null/a/b run data mnist --from elsewhere
check "no place for the cache" complained 1 \
    "/dev/null/a/b cannot be made: /dev/null: Not a directory; set KELVIN_DATA to a folder that can be written"

# ---- progress ----
# On terminals of several widths: no line is as wide as the terminal, no number is cut, and before there is something to
# judge by (the work would take hours) nothing is said about the time left. Then Ctrl-C.
cat >terminal.py <<'PYTHON'
import fcntl, os, pty, re, signal, struct, sys, termios, time

columns, draws, shown, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:]
began = time.monotonic()
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(2, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    os.execv(command[0], command)
text = b""
while text.count(b"\x1b[1A") <= draws:  # back to the line of the chain: the whole was drawn
    text += os.read(terminal, 4096)
os.kill(pid, signal.SIGINT)
try:
    while os.read(terminal, 4096):
        pass
except OSError:
    pass  # it has ended
os.waitpid(pid, 0)
if time.monotonic() - began > 9:
    sys.exit(0)  # so slow that there is something to judge by
lines = [re.sub(r"\x1b\[\d*[AKJ]|\n", "", line) for line in text.decode().split("\r")[1:-1]]
bar = r"( \[=*>? *\])?"
values = (r"accepted +\d+ %", r"step [0-9.e-]+", r"train +\d+\.\d %", r"confidence +\d+\.\d %",
          r"log-posterior -?\d\.\d\de[+-]\d\d", r"logits +\d+\.\d")
chain = re.compile(f"chain 0{bar} (epoch|iteration) +\\d+/\\d+" + "".join(f"(, {value})?" for value in values))
whole = re.compile(f"all    {bar}   0 %(, 0 of 1 chain done(, [0-9.,]+ (images|iterations)/s)?)?")
first = [line for line in lines if chain.fullmatch(line)]
for line in lines:
    known = line == "" or columns <= 20 or chain.fullmatch(line) or whole.fullmatch(line)
    if len(line) >= (columns or 80) or not known:
        sys.exit(f"{columns} columns: {line!r}")
if columns > 20:
    last = first[-1]
    if ("[" in last) != (columns in (0, 120)) or (shown in last) != (columns in (0, 54, 120)):
        sys.exit(f"{columns} columns: {last!r}")
if columns == 20 and not any(re.fullmatch(r".*iteration +\d+/9999", line) for line in lines):
    sys.exit(f"{columns} columns: {lines!r}")
if columns == 12 and not any(re.fullmatch(r"all +0 %", line) for line in lines):
    sys.exit(f"{columns} columns: {lines!r}")
PYTHON
on_terminal() { # COLUMNS DRAWS SHOWN OPTION...
    columns=$1 draws=$2 shown=$3
    shift 3
    timeout 900 python3 terminal.py $columns $draws "$shown" "$kelvin" sample --preset paper "$@" --chains 1 -o "run-$columns-$shown" >stdout 2>stderr
    check "kelvin sample $* on a terminal of $columns columns" [ $? -eq 0 ]
}
if python3 -c "import pty; pty.openpty()" 2>/dev/null; then
    for columns in 12 20; do
        on_terminal $columns 3 accepted --sampler hmc --model mlp:2 --iterations 9999 --steps 500000
    done
    for columns in 40 54 120; do
        on_terminal $columns 3 accepted --sampler hmc --model mlp:2 --iterations 1000000 --steps 5000
        on_terminal $columns 3 step --sampler mclmc --model mlp:2 --iterations 1000000 --steps 1000
    done
    for columns in 54 120; do on_terminal $columns 3 train --epochs 1000000; done
    # Width unknown: what is longer than 80 columns elsewhere fits here too. And for more than a second, in which 1 % is not
    # reached.
    on_terminal 0 12 accepted --sampler hmc --data digits --model mlp:2 --iterations 200000 --steps 100
else
    echo "there are no pseudo-terminals here: progress on terminals is left out"
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
