#!/bin/sh
# The page of kelvin report and the pictures of kelvin eval --plot. Usage: test_page.sh KELVIN SOURCE_ROOT
. "$2/tests/shell.sh"

page() { # PAGE EXPRESSION: what tests/test_page.py finds in it
    python3 "$root/tests/test_page.py" "$@" >stderr 2>&1
}
same() { cmp -s "$1" "$2"; }
absent() { [ ! -e "$1" ]; }
has() { grep -qF -e "$2" "$1"; }

odd="od'd <b>&amp; \\ \`x\` \$y"
ok sample --model mlp:5 --epochs 20 --lr 1e-3 --chains 9 -o nine
ok sample --model mlp:5 --epochs 12 --lr 1e-3 --schedule cyclical --chains 2 --samples 6 --seed 18446744073709551615 -o "$odd"
ok sample --sampler hmc --iterations 20 --steps 50 -o hmc
ok sample --sampler mclmc --iterations 20 --steps 10 -o mclmc

# ---- one run ----
ok report nine -o one.html
check "it says where the page is" [ "$(cat stdout)" = one.html ]
check "one run: well-formed, self-contained, all sections" page one.html \
    "sections == ['metrics', 'classes', 'cases', 'calibration', 'uncertainty', 'diagnosis', 'learning', 'size', 'setup']"
check "one run: every plot" page one.html "charts == 9 and 'Learning curves' in titles and 'ROC curves' in titles and \
{'accuracy', 'log-likelihood, mean', 'calibration error', 'Brier score', 'accuracy by posterior size'} <= {*titles} and \
'Reliability, bins of equal width' in titles and 'Reliability, bins of equal mass' in titles and \
'Disagreement of chains' in titles and 'Temperatures at the end' in titles and 'Where the doubt is' in titles"
# Each metric that there is has one row; of several runs one for each kind: all samples, ensembles of 8, single samples.
ok info --json
cp stdout info.json
n_metrics=$(python3 -c "import json; print(len(json.load(open('info.json'))['metrics']))")
check "one run: every metric once" page one.html "len(metrics) == len({*metrics}) == $n_metrics"
check "twelve mistakes and twelve doubts" page one.html "images == 24"
check "a page is not heavy" [ "$(wc -c <one.html)" -lt 1000000 ]
cp one.html first.html
run report nine -o one.html
check "a page that is there is not replaced" complained 1 "one.html: is there already; choose another name, or --force replaces it"
check "it is as it was" same one.html first.html
cp nine/run.json kept.json
run report nine -o nine/run.json --force
check "nothing in a run is replaced" complained 1 "nine/run.json: is there already, in the folder of a run, where nothing is replaced"
run report nine -o nine/chain-000/history.csv --force
check "nor in its chains" complained 1 "nine/chain-000/history.csv: is there already, in the folder of a run"
check "the run is as it was" same nine/run.json kept.json
ok report nine -o one.html --threads 1 --force
check "the same runs give the same bytes, on any number of threads" same one.html first.html

for same in ./nine nine/ .//nine/./; do
    ok report "$same" -o one.html --force
    check "$same is the same page" same one.html first.html
done
ok diagnose nine --json
verdict=$(python3 -c "import json; d = json.load(open('stdout')); print([d['verdict']['text']] + [a['text'] for a in d['advice'][:1]])")
check "the verdict comes first, with what to do next" page one.html \
    "all(v in text for v in $verdict) and text.index($verdict[0]) < text.index('Class by class')"
check "options do not break" grep -q '<code class="nobr">--[a-z]' one.html

# ---- the command on the page ----
python3 "$root/tests/test_page.py" one.html --command >command.txt
check "the page has the whole command" has command.txt "--sampler sghmc --data digits --model mlp:5"
sed "s|^kelvin |\"$kelvin\" |" command.txt | sh >stdout 2>stderr
check "it repeats the run, to the checksums of all files" same nine/manifest nine-again/manifest
for i in 0 8; do
    check "it repeats chain $i" same nine/chain-00$i/samples-000.safetensors nine-again/chain-00$i/samples-000.safetensors
done
check "it repeats run.json" same nine/run.json nine-again/run.json
check "a run without warm-up has none on its page" page one.html "'warm-up' not in text"
for by in hmc mclmc; do
    ok report $by -o $by-page.html
    check "$by: the warm-up is marked in learning curves" page $by-page.html \
        "text.count('warm-up, left out of every answer') == titles.count('Learning curves') + titles.count('Temperatures on the way')"
    python3 "$root/tests/test_page.py" $by-page.html --command >command.txt
    check "the command of another sampler" has command.txt "--sampler $by "
    sed "s|^kelvin |\"$kelvin\" |" command.txt | sh >stdout 2>stderr
    check "it repeats a run by $by" same $by/manifest $by-again/manifest
done
ok diagnose mclmc --json
energy=$(python3 -c "
import json
d = json.load(open('stdout'))
print([f'energy variance of a step, {k}, 10⁻⁶{1e6 * d[n]:.1f}' for k, n in (('median', 'energy_variance'), ('mean', 'energy_variance_mean'))])")
check "the energy variance of a sampler that has one" page mclmc-page.html "all(e in text for e in $energy)"
check "and of no other" page hmc-page.html "'energy variance' not in text"

tuned() { # COLUMN: from the lowest to the highest of the chains' last values
    python3 - "$1" <<'PYTHON'
import csv, glob, sys
last = [float(list(csv.DictReader(open(f)))[-1][sys.argv[1]]) for f in glob.glob("mclmc/chain-*/history.csv")]
print(r"tuned in warm-up: %.3g\xa0to\xa0%.3g" % (min(last), max(last)))
PYTHON
}
check "what was tuned, and to what" page mclmc-page.html \
    "'step size$(tuned step_size)' in text and 'length$(tuned length)' in text"
check "the command leaves it to be tuned" has command.txt "--step-size 0 --length 0 "

# ---- several ----
ok report nine "$odd" hmc mclmc nine -o several.html
check "several runs: well-formed, with names that try to break out" page several.html "charts > 20"
check "names are shown as they are" page several.html '"od\x27d <b>&amp;" in text'
check "a run that comes twice has two names" page several.html "'nine (2)' in text"
ok report nine "$odd" -o two.html
check "the headline has what differs, of each run" page two.html \
    "'nine: seed 0, chains 9, epochs 20, schedule paper, temperature schedule paper; 9 samples' in text and 'schedule cyclical; ' in text"
ok sample --sampler mclmc --iterations 20 --steps 10 --length 3 -o long
ok report mclmc long -o long.html
check "the headline has no outcomes" page long.html "'mclmc: length tuned in warm-up; ' in text and 'long: length 3; ' in text"
check "repeated runs have folders of their own" [ "$(grep -c -e ' -o nine-again<' -e '-o &#39;nine (2)-again&#39;<' several.html)" = 2 ]
check "a seed keeps its digits" has several.html "18446744073709551615"
ok report hmc -o hmc.html
check "without a test part it is of the training data, and says so" page hmc.html \
    "'training observations of 2 classes: the run has no test part' in text"
check "toy data have no names: no cases" page hmc.html "'cases' not in sections and images == 0"
ok report nine --on train -o train.html
check "--on train" page train.html "'1438 training observations' in text"

# ---- tables, and data that are gone ----
python3 - <<'PYTHON'
import random
random.seed(1)
with open("table.csv", "w") as f:
    f.write("size <cm>,weight,kind\n")
    for i in range(120):
        kind = i % 2
        f.write(f"{random.gauss(kind, 1):.4f},{random.gauss(-kind, 1):.4f},{'a & b' if kind else '<c>'}\n")
PYTHON
ok sample --data csv:table.csv,label=kind --batch 20 --model mlp:3 --epochs 10 --lr 1e-3 --chains 2 -o table
ok report table -o table.html
check "cases of a table are rows with its columns" page table.html "'size <cm>' in text and 'a & b' in text and images == 0"
cp table.csv "it's a table.csv"

# ---- what is read is never replaced ----
kept() { # FILE TEXT ARGUMENT...: refused, and the file is as table.csv was
    file=$1 text=$2
    shift 2
    run "$@"
    check "kelvin $* should be refused with: $text" complained 1 "$text"
    check "$file is as it was" same "$file" "it's a table.csv"
}
mkdir read
for one in reliability.csv confidence-2-table.csv posterior-size.csv.tmp; do
    cp table.csv "read/$one"
    for what in on ood; do
        kept "read/$one" "read/$one: the input is read from it" eval table nine --$what "csv:read/$one,label=kind" --plot read
    done
done
kept table.csv "table.csv: is of the data set that table was made from; choose another name" report nine table -o table.csv --force
cp table.csv other.csv
kept other.csv "other.csv: the input is read from it" report table --on csv:other.csv,label=kind -o other.csv --force
kept other.csv "other.csv: the input is read from it" report table --on csv:table.csv,label=kind,test=other.csv -o ./other.csv --force
cp table.csv read/confidence.csv
ok sample --data csv:read/confidence.csv,label=kind --batch 20 --model mlp:3 --epochs 2 --chains 1 -o drawn
kept read/confidence.csv "read/confidence.csv: is of the data set that drawn was made from" eval drawn --plot read
if /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
    /usr/bin/python3 -c "
import numpy as np
np.save('x.npy', np.zeros((20, 8, 8), np.uint8)); np.save('y.npy', np.arange(20) % 10)"
    cp y.npy labels.npy
    run report nine --on npy:x.npy,y.npy,split=0 -o y.npy --force
    check "nor are labels" complained 1 "y.npy: the input is read from it"
    check "labels are as they were" same y.npy labels.npy
fi
echo mine >test
ok report nine --on test -o test --force
check "a file that is called as a part is none" has test "<html"

ok sample --data "csv:it's a table.csv,label=kind" --batch 20 --model mlp:3 --epochs 2 --chains 1 -o quoted
ok report quoted -o quoted.html
python3 "$root/tests/test_page.py" quoted.html --command >command.txt
sed "s|^kelvin |\"$kelvin\" |" command.txt | sh >stdout 2>stderr
check "a command with quotes in it repeats the run" same quoted/run.json quoted-again/run.json

# ---- classes ----
counts_of() { # PAGE RUN: the table of what is taken for what has the numbers of eval
    "$kelvin" eval --json "$2" >metrics.json 2>stderr && python3 - "$1" 2>stderr <<'PYTHON'
import html, json, re, sys
page, by = open(sys.argv[1]).read(), json.load(open("metrics.json"))["runs"][0]["by_class"]
table = re.search(r'aria-label="What is taken for what"><table>.*?</table>', page, re.S).group(0)
heads = [html.unescape(h) for h in re.findall(r'<th scope="col">(.*?)</th>', table)]
assert heads[1:-3] == by["classes"], heads
rows = re.findall(r'<tr><th scope="row">(.*?)</th>(.*?)</tr>', table)
assert [html.unescape(name) for name, _ in rows] == by["classes"]
said = lambda x, scale, digits: "\u2013" if x is None else f"{scale * x:.{digits}f}"
for k, (_, cells) in enumerate(rows):
    cells = re.findall(r"<td[^>]*>(.*?)</td>", cells)
    assert [int(c) for c in cells[:-3]] == by["confusion"][k], (k, cells)
    assert cells[-3:] == [said(by["recall"][k], 100, 1), said(by["precision"][k], 100, 1), said(by["auc"][k], 1, 4)], cells
PYTHON
}
check "what is taken for what" counts_of one.html nine
check "of two classes, with names that try to break out" counts_of table.html table
check "beside the numbers at the top, those of baselines" page table.html \
    "text.count('linear model') >= 4 and text.count('class frequencies') >= 4"
check "what matters, and how" page table.html "'columns' in sections and 'Columns by importance' in titles and \
'By size <cm>' in titles and 'By weight' in titles and '24 test rows and 2 samples' in text"
check "of pictures, no columns" page one.html "'columns' not in sections"
matter() { # RUN: columns by importance, the largest first, and how predictions depend on them
    "$kelvin" eval "$1" --importance --json >metrics.json 2>stderr && python3 - 2>stderr <<'PYTHON'
import json
found = json.load(open("metrics.json"))["runs"][0]["importance"]
means = [c["importance"]["mean"] for c in found["columns"]]
assert means == sorted(means, reverse=True) and {c["column"] for c in found["columns"]} == {"size <cm>", "weight"}, found
for column in found["columns"]:
    values = [p["value"] for p in column["dependence"]]
    assert values == sorted(values) and len(values) == 21, values
    for point in column["dependence"]:
        assert abs(sum(p["mean"] for p in point["p"]) - 1) < 1e-9, point
        assert all(p["low"] <= p["high"] for p in point["p"]), point
PYTHON
}
check "the same for programs" matter table
ok eval table --importance
check "and in a table" [ "$(grep -cE '^(size <cm>|weight) +-?[0-9.]+ \+- [0-9.]+$' stdout)" = 2 ]
wrong "--importance: expected --json with it, or a table" eval table --importance --csv
run eval nine --importance
check "images have no columns" complained 2 "its inputs are images, which have no columns"
python3 - <<'PYTHON'
import random
random.seed(3)
with open("people.csv", "w") as f:
    f.write("who,age,town,happy,label\n")
    for i in range(150):
        town = random.choice(["Ulm & Co", "Bonn", ""])
        f.write(f"P{i},{random.choice(['', random.randint(20, 60)])},{town},{random.choice(['yes', 'no'])},{'x' if town == 'Bonn' else 'y'}\n")
PYTHON
ok sample --data csv:people.csv,label=label,id=who --batch 30 --model mlp:6 --prior normal:1 --epochs 100 --lr 1e-2 --chains 2 -o people
ok report people -o people.html
check "a category is one column, and what is missing is of its column" page people.html \
    "titles.count('By town') == 1 and {'By age', 'By happy'} <= {*titles} and 'Ulm & Co' in text"
people_of() { # cases have what the file has in that row, and what the row is called
    python3 - 2>stderr <<'PYTHON'
import csv, html, re
table = {row["who"]: row for row in csv.DictReader(open("people.csv"))}
page = open("people.html").read()
cases = re.findall(r'<tr><th scope="row">\d+</th>(.*?)</tr>', page[page.index('<section id="cases"'):])
assert len(cases) >= 12, len(cases)
for case in cases:
    who, label, _, _, _, age, town, happy = [html.unescape(c) for c in re.findall(r"<td[^>]*>(.*?)</td>", case)]
    row = table[who]
    assert (label, age, town, happy) == (row["label"], row["age"] or "\u2013", row["town"] or "\u2013", row["happy"]), (case, row)
PYTHON
}
check "cases are as the file has them" people_of
check "of two classes: one curve" page table.html "'ROC curves' in titles and text.count('area under the curve') == 2"
python3 - <<'PYTHON'
import random
random.seed(2)
with open("many.csv", "w") as f:
    f.write("a,b,kind\n")
    for i in range(600):
        kind = i % 15
        f.write(f"{random.gauss(kind % 4, .4):.4f},{random.gauss(kind // 4, .4):.4f},kind {kind}\n")
PYTHON
ok sample --data csv:many.csv,label=kind --batch 20 --model mlp:8 --prior normal:1 --epochs 40 --lr 1e-2 --chains 2 -o many
ok report many -o many.html
check "many classes: those that are found least, and mistakes" page many.html \
    "'The 12 classes that are found least, of 15.' in text and 'What is taken for what' in titles and '10 .. 90 % of classes' in text"

# ---- what it says ----
agrees() { # PAGE RUN [DATA]
    "$kelvin" eval --json "$2" >metrics.json 2>stderr &&
        /usr/bin/python3 "$root/tests/test_page_cases.py" "$1" "$2" metrics.json ${3:+"$3"} >stderr 2>&1
}
if /usr/bin/python3 -c "import numpy, PIL" 2>/dev/null; then
    check "cases and metrics of digits" agrees one.html nine
    check "cases and metrics of a table" agrees table.html table table.csv
    /usr/bin/python3 - <<'PYTHON'
import os
import numpy as np
from PIL import Image
rng = np.random.default_rng(1)
for part, n in (("train", 40), ("test", 15)):
    for name in ("a", "b & c"):
        os.makedirs(f"pictures/{part}/{name}")
        for i in range(n):
            Image.fromarray(rng.integers(0, 256, (6, 9, 3), dtype=np.uint8)).save(f"pictures/{part}/{name}/{i:02}.png")
PYTHON
    ok sample --data images:pictures --batch 20 --model mlp:3 --epochs 10 --lr 1e-3 --chains 2 -o pictures.run
    ok report pictures.run -o pictures.html
    check "pictures in colour" agrees pictures.html pictures.run pictures/test
else
    echo "skipped: python3's numpy or PIL is not here, so what the page says was not checked"
fi
head -n 61 table.csv >some.csv
ok report table --on csv:some.csv,label=kind -o some.html
check "any data set with labels" page some.html "'60 observations of 2 classes in csv:some.csv,label=kind' in text and 'size <cm>' in text"
rows_of() { # PAGE CSV: the rows of cases have the numbers of the table's rows
    python3 - "$@" 2>stderr <<'PYTHON'
import csv, re, sys
page, table = open(sys.argv[1]).read(), list(csv.reader(open(sys.argv[2])))[1:]
cases = re.findall(r'<th scope="row">(\d+)</th>((?:<td[^>]*>[^<]*</td>)+)', page[page.index('<section id="cases"'):])
assert len(cases) >= 12, len(cases)
for index, cells in cases:
    shown = [float(x) for x in re.findall(r"<td[^>]*>([^<]*)</td>", cells)[-2:]]
    true = [float(x) for x in table[int(index) - 1][:2]]  # rows count from 1
    assert all(abs(a - b) <= 1e-3 * max(1, abs(b)) for a, b in zip(shown, true)), (index, shown, true)
PYTHON
}
check "cases are rows of that data set" rows_of some.html some.csv
tail -n 60 some.csv >nameless.csv
ok report table quoted --on nameless.csv -o nameless.html
check "what was guessed is said, once" [ "$(cat stderr)" = "kelvin report: nameless.csv: has no names of columns: they are taken in the order of training, 'size <cm>', 'weight'
kelvin report: nameless.csv: has 3 columns, the network takes 2: column 3 is taken for the label" ]
mv table.csv gone.csv
ok report table -o gone.html
check "data that are gone: a sentence, and all the rest" page gone.html "'The inputs cannot be shown: ' in text and charts == 9 and 'The columns cannot be compared: ' in text"

# ---- wrong use ----
wrong "which run?" report -o x.html
wrong "-o report.html" report nine
wrong "-o -: give the name of a file" report nine -o -
wrong "the name of the file is empty" report nine -o ""
wrong "the name of a run is empty" report nine "" -o x.html
wrong "expected a file" report nine --on - -o x.html
run report nine --on foo -o x.html
check "data that are not there" complained 1 "foo"
run report nowhere -o x.html
check "a folder that is not there" complained 1 "nowhere"
run report hmc --on test -o x.html
check "no test data" complained 1 "no test"
run report nine -o no/such/folder/x.html
check "a page that cannot be written" complained 1 "no/such/folder/x.html"
check "nothing is left of a page that failed" absent x.html
cp one.html kept.html
run report nine nowhere -o kept.html
check "an older page stays as it was" same one.html kept.html

# ---- pictures ----
pictures() { # STEM...: all five files of each, and listed
    for stem; do
        for suffix in csv gp png svg pdf; do
            [ -s "$stem.$suffix" ] && grep -qxF "$stem.$suffix" stdout || return 1
        done
    done
}
if command -v gnuplot >/dev/null; then
    ok eval nine --plot plots
    check "eval --plot draws three charts" pictures plots/reliability plots/confidence plots/posterior-size
    ok eval nine "$odd" --plot both
    check "of several runs, too" pictures both/reliability both/confidence-1-nine both/confidence-2-od-d--..--x---y both/posterior-size
    check "names of runs are not run" absent x
    table_of() { # CSV: one line of names, as many fields in each row, numbers or nothing
        python3 - "$1" 2>stderr <<'PYTHON'
import csv, sys
rows = list(csv.DictReader(line for line in open(sys.argv[1]) if line.strip()))
assert rows and all(None not in r and None not in r.values() for r in rows)
for r in rows:
    for key in ("series", "x", "y", "low", "high", "to"):
        assert r[key] == "" or float(r[key]) is not None
assert {"nine"} <= {r["name"] for r in rows} and "accuracy, %" in {r["panel"] for r in rows}
assert any(r["low"] == "" for r in rows) and all(r["to"] == "" for r in rows if r["y"])
PYTHON
    }
    check "tables of charts have names and empty fields" table_of both/reliability.csv
    run eval nine --json --plot plots
    check "JSON stays JSON" json
else
    echo "skipped: gnuplot is not here, so there are no pictures"
fi
(PATH=/nonexistent "$kelvin" eval nine --plot bare >stdout 2>stderr)
echo $? >code
bare() { [ "$(cat code)" = 1 ] && has stderr "gnuplot" && [ -s bare/reliability.csv ] && [ -s bare/posterior-size.gp ]; }
check "without gnuplot the numbers are kept, and it is said" bare
run eval nine --plot one.html
check "--plot on a file" complained 1 "is a file, not a folder"
run eval nine --plot no/such/folder
check "--plot in a folder that is not there" complained 1 "no/such"

# ---- in a browser ----
browser=
for name in chromium chromium-browser google-chrome; do
    command -v $name >/dev/null && [ -z "$browser" ] && browser=$name
done
visit() { # WIDTH PAGE: what the page says of itself after it was laid out goes to ./seen
    sed 's|</body>|<script>addEventListener("load", () => { const r = s => [...document.querySelectorAll(s)].map(e => e.getBoundingClientRect()); \
        document.body.innerHTML = "<p id=seen>charts " + r("svg.chart").filter(b => b.width > 100 \&\& b.height > 40).length \
        + " of " + r("svg.chart").length + ", images " + [...document.images].filter(i => i.naturalWidth > 0).length + " of " + document.images.length \
        + ", wider " + (document.documentElement.scrollWidth - innerWidth) + "</p>" })</script></body>|' "$2" >visited.html
    timeout 900 $browser --headless --no-sandbox --disable-gpu --user-data-dir="$work/profile" --enable-logging=stderr --v=0 \
        --window-size="$1,900" --dump-dom "file://$work/visited.html" >dom 2>console
    grep -o '<p id="seen">[^<]*' dom | sed 's/.*>//' >seen
    cat seen console >stderr
}
seen() { grep -qE "^$1\$" seen; }
silent() { ! grep -q 'CONSOLE' console; }
if [ -n "$browser" ] && timeout 900 $browser --headless --no-sandbox --disable-gpu --user-data-dir="$work/profile" --dump-dom about:blank >dom 2>console; then
    visit 1200 one.html
    check "every chart and picture of one run is there" seen "charts ([0-9]+) of \1, images 24 of 24, wider (0|-[0-9]+)"
    check "no word on the console" silent
    visit 1200 several.html
    check "nothing sticks out of a wide page" seen "charts ([0-9]+) of \1, images ([0-9]+) of \2, wider (0|-[0-9]+)"
    check "no word on the console, several runs" silent
    visit 360 several.html
    check "nothing sticks out of a phone" seen "charts ([0-9]+) of \1, images ([0-9]+) of \2, wider (0|-[0-9]+)"
    timeout 900 $browser --headless --no-sandbox --disable-gpu --user-data-dir="$work/profile" --window-size=1200,2000 \
        --screenshot="$work/shot.png" "file://$work/one.html" >/dev/null 2>console
    check "a screenshot is not blank" [ "$(wc -c <shot.png)" -gt 40000 ]
    check "no word on the console in the page as it is" silent
else
    echo "skipped: Chromium is not here, so the page was not opened in a browser"
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
