"""Folders of runs with damage in them: no command gives another answer, crashes, hangs, or takes memory for nothing.

    test_damage.py KELVIN SOURCE_ROOT [SANITIZERS]      (in an empty folder)

Bounded as it is. For a campaign, by the environment:
    KELVIN_DAMAGE_FLIPS=200   flipped bits per file [2]
    KELVIN_DAMAGE_EDITS=9999  other changes per file, of each kind [2]
    KELVIN_DAMAGE_ONLY=hmc    runs of this name alone [all]
    KELVIN_DAMAGE_SEED=7      which of them [1]
    KELVIN_DAMAGE_OLD=KELVIN  an earlier version, whose folders are damaged too [none]
"""
import glob
import json
import os
import random
import re
import resource
import shutil
import signal
import stat
import subprocess
import sys
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import damage_mutations as mutations  # noqa: E402
from vouch import vouch  # noqa: E402

KELVIN, ROOT = sys.argv[1:3]
SANITIZED = len(sys.argv) > 3 and sys.argv[3] not in ("", "none")
FLIPS = int(os.environ.get("KELVIN_DAMAGE_FLIPS", 2))
EDITS = int(os.environ.get("KELVIN_DAMAGE_EDITS", 2))
ONLY = os.environ.get("KELVIN_DAMAGE_ONLY")
SEED = int(os.environ.get("KELVIN_DAMAGE_SEED", 1))
OLD = os.environ.get("KELVIN_DAMAGE_OLD")

MOST_MEMORY = (1000 if SANITIZED else 200) << 10  # KiB, where all files together have less than 10 MB
MOST_CPU = 200 if SANITIZED else 40               # seconds; what it takes is some milliseconds
ASLEEP = 600                                      # seconds after which a command that waits for something is ended
LEFT_OUT = {"times.csv", "lock"}                  # nothing depends on them
READERS = ["eval", "train", "diagnose", "predict", "export", "report"]

passed, failures = 0, []
tally = {"flips": 0, "noticed": 0, "repaired": 0, "harmless": 0, "damages": 0, "vouched": 0,
         "flips of earlier versions": 0, "commands": 0, "memory": 0}


def check(what, good, details=""):
    global passed
    if good:
        passed += 1
        return True
    failures.append(what)
    print(f"FAILED: {what}\n    {details}"[:1500], file=sys.stderr, flush=True)
    return False


# ---- commands ----

class Result:
    def __init__(self, code, answer, said, memory, left):
        self.code, self.answer, self.said, self.memory, self.left = code, answer, said, memory, left


def limit(child):
    """Some microseconds after it has begun; a shell with ulimit would take longer than most commands do."""
    limits = {resource.RLIMIT_CORE: 0, resource.RLIMIT_CPU: MOST_CPU}
    if not SANITIZED:
        limits[resource.RLIMIT_AS] = 1 << 30
    for what, most in limits.items():
        resource.prlimit(child, what, (most, most))


class Asleep(Exception):
    pass


def wake(*_):
    raise Asleep


def run(*arguments, program=KELVIN):
    with open("stdout", "wb") as out, open("stderr", "wb") as err:
        child = subprocess.Popen([program, *arguments], stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        limit(child.pid)  # it is there until someone waits for it
        signal.alarm(ASLEEP)
        try:
            _, status, usage = os.wait4(child.pid, 0)
        except Asleep:
            child.kill()
            _, status, usage = os.wait4(child.pid, 0)
        signal.alarm(0)
        child.returncode = os.waitstatus_to_exitcode(status)
    with open("stdout", "rb") as out, open("stderr", "rb") as err:
        answer, said = out.read(), err.read().decode(errors="replace")
    tally["commands"] += 1
    tally["memory"] = max(tally["memory"], usage.ru_maxrss)
    return Result(child.returncode, answer, said, usage.ru_maxrss, [])


def ask(kind, folder):
    """One of the commands that read a run, or resume. Its answer is what it printed or the file that it made."""
    arguments = {"eval": ["eval", folder, "--json"],
                 "train": ["eval", folder, "--on", "train", "--json"],
                 "diagnose": ["diagnose", folder, "--json"],
                 "predict": ["predict", folder, folder + ".csv" if os.path.exists(folder + ".csv") else "inputs.csv", "-o", "made"],
                 "export": ["export", folder, "--format", "npz", "-o", "made"],
                 "report": ["report", folder, "-o", "made.html"],
                 "resume": ["resume", folder, "--json"]}[kind]
    for name in ("made", "made.html"):
        if os.path.exists(name):
            os.unlink(name)
    before = set(os.listdir("."))
    result = run(*arguments, "--threads", "1")
    made = set(os.listdir(".")) - before
    if result.code == 0 and len(made) == 1:
        with open(made.pop(), "rb") as file:
            result.answer += file.read()
    elif kind in ("eval", "train", "resume"):
        result.answer = re.sub(rb'"seconds[a-z_]*": [^,\n]*', b'"seconds": 0', result.answer)
    result.left = sorted(made)
    return result


# ---- folders ----

def entry(path):
    mode = os.lstat(path).st_mode
    if stat.S_ISLNK(mode):
        return ("link", os.readlink(path))
    if stat.S_ISREG(mode):
        with open(path, "rb") as file:
            return ("file", file.read())
    return ("folder",) if stat.S_ISDIR(mode) else ("other",)


def snapshot(folder):
    out = {}
    for where, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(where, name)
            if os.path.relpath(path, folder) not in LEFT_OUT:
                out[os.path.relpath(path, folder)] = entry(path)
    return out


def remove(path):
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.unlink(path)


class Run:
    """A finished run, what is in its folder, and what the commands say of it."""

    def __init__(self, folder, others):
        self.folder, self.others = folder, others  # others: of the same kind, by another seed
        self.first = snapshot(folder)
        self.answers = {}
        self.made = None  # the old version that made it; None: this one
        self.rng = random.Random(zlib.crc32(folder.encode()) + SEED)

    def files(self):
        return [name for name, what in sorted(self.first.items()) if what[0] == "file"]

    def path(self, name):
        return os.path.join(self.folder, name)

    def bytes(self, name):
        return self.first[name][1]

    def put(self, name, raw):
        remove(self.path(name))
        with open(self.path(name), "wb") as file:
            file.write(raw)

    def restore(self):
        for name in LEFT_OUT:
            if os.path.lexists(self.path(name)) and entry(self.path(name))[0] != "file":
                remove(self.path(name))
        now = snapshot(self.folder)
        for name in sorted(now):
            if now[name] != self.first.get(name):
                remove(self.path(name))
        for name, what in sorted(self.first.items()):
            if what[0] == "folder":
                os.makedirs(self.path(name), exist_ok=True)
            elif now.get(name) != what:
                self.put(name, what[1])

    def learn(self):
        for kind in READERS + ["resume"]:
            result = ask(kind, self.folder)
            if check(f"{kind} {self.folder} as it is", result.code == 0 and result.answer, result.said):
                self.answers[kind] = result.answer
        check(f"{self.folder}: resume leaves a finished run as it is", snapshot(self.folder) == self.first)


# ---- rules ----

def sane(result):
    """What holds whatever is in the folder; why not, if it does not."""
    if result.code not in (0, 1, 2, 3):
        return f"exit code {result.code}"
    if result.memory > MOST_MEMORY:
        return f"{result.memory >> 10} MiB of memory"
    if re.search("Sanitizer|runtime error:", result.said):
        return "a sanitizer's report"
    if result.code and result.left:
        return f"left {result.left}"
    if result.code in (1, 2) and (result.said.count("\n") < 1 or not re.search(r"^kelvin.*\n\Z", result.said, re.M)):
        return "no sentence"
    return ""


def refused(result, folder):
    """Exit 1 with one sentence that names the run or a file of it, and nothing else."""
    return result.code == 1 and not result.answer and result.said.count("\n") == 1 and \
        result.said.startswith("kelvin") and folder in result.said


def owns_up(r, result):
    """Where a file is gone, or is no file, the answer may say so and do without."""
    partly = (b"chains have ended, and all numbers are of", b"but not all of the run was written")
    if any(each in result.answer for each in partly):  # of the chains that have ended, as the manifest has it
        with open(r.path("manifest"), "rb") as file:
            return b"state.safetensors" not in file.read()
    gone = [r.path(name) for name in r.files() if not os.path.isfile(r.path(name))]
    said = [*gone, "Files of samples are not in the folder any more",
            f"{r.folder}: has no logits of its training data; kelvin resume",
            "The logits of the training data are not in the folder any more"]
    return gone and any(each.encode() in result.answer for each in said)


def strict(r, kind, result):
    """The same answer, or a sentence; why not, if neither."""
    wrong = sane(result)
    if wrong:
        return wrong
    if result.code == 0:
        return "" if result.answer == r.answers[kind] or owns_up(r, result) else "another answer"
    return "" if refused(result, r.folder) else f"exit code {result.code}, which is not one sentence about the run"


def judge(r, what, apply):
    """All commands at a damaged folder. Gives the sentences that were said; None if one of them did wrong."""
    r.restore()
    apply()
    damaged, sentences = snapshot(r.folder), []
    for kind in READERS + ["resume"]:
        result = ask(kind, r.folder)
        wrong = strict(r, kind, result)
        now = snapshot(r.folder)
        if not wrong and kind == "resume" and result.code == 0:
            tally["repaired"] += now != damaged
            if now != r.first:
                wrong = "left a folder that is not as it was: " + differences(now, r.first)
        elif not wrong and now != damaged:
            wrong = "changed the folder: " + differences(now, damaged)
        if wrong:
            check(f"{r.folder}: {what}: {kind}: {wrong}", False, result.said)
            return None
        if result.code:
            sentences.append(result.said.strip())
    return list(dict.fromkeys(sentence.split(": ", 1)[1] for sentence in sentences))


def differences(a, b):
    return ", ".join(sorted(name for name in set(a) | set(b) if a.get(name) != b.get(name)))


# ---- advice ----

def act(r, sentence):
    """Does what a sentence says, and what anyone would do about a folder or a fifo that is no file. False if there is nothing that
    helps."""
    path = sentence.split(": ", 1)[0]
    name = os.path.relpath(path, r.folder)
    chain = re.search(r"remove (\S+), and kelvin resume \S+ samples that chain anew", sentence)
    if chain:
        remove(chain[1])
    elif "put it back, or start a new run" in sentence and entry(r.path(name)) == r.first[name]:
        remove(r.path("manifest"))  # the other half of the advice
    elif name == "run.json" or re.search("it has no run.json|has lost its run.json", sentence):
        r.put("run.json", r.bytes("run.json"))
        return True
    elif re.search("remove it, then kelvin resume|is not a regular file|levels of symbolic links|No such file|"
                   "is damaged, and cannot be removed", sentence):
        remove(path)
        return os.path.relpath(path, r.folder) in r.first
    return f"kelvin resume {r.folder}" in sentence


def follow(r, what, apply, sentence):
    """After at most two rounds all is as it was."""
    r.restore()
    apply()
    said = [sentence]
    for _ in range(2):
        if not act(r, said[-1]):
            break
        result = ask("resume", r.folder)
        for kind in [] if result.code else READERS:
            result = ask(kind, r.folder)
            if result.code or result.answer != r.answers[kind]:
                break
        if result.code == 0:
            return check(f"{r.folder}: {what}: the advice leads back", snapshot(r.folder) == r.first,
                         "another folder: " + differences(snapshot(r.folder), r.first) + "\n    " + "\n    ".join(said))
        said.append(result.said.strip().split(": ", 1)[-1])
    return check(f"{r.folder}: {what}: the advice leads nowhere", False, "\n    ".join(said))


def damage(r, what, apply, advised=True):
    """A damage that no manifest vouches for. Gives whether it was noticed; None if a command did wrong."""
    sentences = judge(r, what, apply)
    if sentences is None:
        return None
    check(f"{r.folder}: {what}", True)
    for sentence in sentences if advised else []:
        follow(r, what, apply, sentence)
    return len(sentences) > 0


def vouched(r, what, apply):
    """A damage that is vouched for: answers may be others, but nobody crashes."""
    r.restore()
    apply()
    tally["vouched"] += 1
    for kind in READERS + ["resume"]:
        result = ask(kind, r.folder)
        wrong = sane(result)
        if wrong:
            return check(f"{r.folder}: {what}, vouched for: {kind}: {wrong}", False, result.said)
    return check(f"{r.folder}: {what}, vouched for", True)


# ---- what is done to a run ----

def some(r, kinds, share=1):
    """As many as were asked for, at random."""
    return r.rng.sample(kinds, min(len(kinds), max(1, EDITS // share)))


def flips(r, name):
    for i in range(FLIPS):
        raw = mutations.flip(r.bytes(name), r.rng)
        if raw is None:
            continue
        at = next(k for k in range(len(raw)) if raw[k] != r.bytes(name)[k])
        noticed = damage(r, f"{name}: a flipped bit in byte {at}", lambda: r.put(name, raw), i % 10 == 0)
        tally["flips"] += 1
        tally["noticed" if noticed else "harmless"] += noticed is not None


def foreign(r, name):
    """Files of other runs, and of the other chain, in its place."""
    for other in r.others:
        if name in other.first and other.bytes(name) != r.bytes(name):
            tally["damages"] += 1
            damage(r, f"{name} of {other.folder}", lambda: r.put(name, other.bytes(name)))
    twin = name.replace("chain-000", "chain-001") if "chain-000" in name else name.replace("chain-001", "chain-000")
    for twin in {twin, name.replace("samples-000", "samples-001")} - {name}:
        if twin in r.first:
            tally["damages"] += 1
            damage(r, f"{name}: is {twin}", lambda: r.put(name, r.bytes(twin)))


def special(r, name):
    """Something else than a file."""
    def instead(make, *arguments):
        remove(r.path(name))
        make(*arguments)

    path = r.path(name)
    elsewhere = os.path.abspath(os.path.join(r.others[0].folder, name))
    kinds = [("gone", lambda: None), ("a folder", lambda: os.mkdir(path)), ("a fifo", lambda: os.mkfifo(path)),
                       ("a link to another run's", lambda: os.symlink(elsewhere, path)),
                       ("a link to nothing", lambda: os.symlink("nowhere", path)),
                       ("a link to itself", lambda: os.symlink(os.path.basename(name), path)),
                       ("a link to /dev/zero", lambda: os.symlink("/dev/zero", path))]
    for what, make in some(r, kinds, 2):
        if what == "a link to another run's" and r.others[0].first.get(name) == r.first[name]:
            continue
        tally["damages"] += 1
        damage(r, f"{name}: {what}", lambda: instead(make))


def in_the_way(r, name):
    """What stands where a file is to be written; the file itself is whole, or gone and must be made again."""
    kinds = [("a fifo", os.mkfifo), ("a link", lambda path: os.symlink("/dev/null", path)),
             ("a link to itself", lambda path: os.symlink(os.path.basename(path), path)), ("a folder", os.mkdir)]
    for what, make in kinds if name in LEFT_OUT else some(r, kinds, 2):
        for gone in [False, True] if name not in LEFT_OUT else [False]:
            def apply():
                if gone:
                    remove(r.path(name))
                path = r.path(name) if name in LEFT_OUT else r.path(name) + ".tmp"
                remove(path)
                make(path)
            r.restore()
            apply()
            for kind in READERS + ["resume"]:
                result = ask(kind, r.folder)
                wrong = strict(r, kind, result)
                if wrong:
                    check(f"{r.folder}: {name}{'' if name in LEFT_OUT else '.tmp'} is {what}: {kind}: {wrong}", False, result.said)
                    break
            else:
                check("", True)
            tally["damages"] += 1


def changes(r, name, samplers):
    """Other bytes: each as it is, and vouched for."""
    raw = r.bytes(name)
    each = [(what, change(raw, r.rng)) for what, change in mutations.ANY]
    fitting = mutations.edits(name, raw, r.rng, samplers)
    for kind in (each, fitting):
        for i, (what, new) in enumerate(some(r, [(what, new) for what, new in kind if new is not None and new != raw])):
            tally["damages"] += 1
            if r.made is None and not what.startswith("a line more"):  # of a manifest with the right checksum: it is one
                damage(r, f"{name}: {what}", lambda: r.put(name, new), i % 4 == 0)
            vouched(r, f"{name}: {what}", lambda: put_vouched(r, name, new))


def put_vouched(r, name, raw):
    r.put(name, mutations.sign(raw) if name.endswith(".safetensors") else raw)
    if r.made is None and name != mutations.MANIFEST:
        vouch(r.folder)


def known(r, samplers):
    """What went wrong in earlier versions: edits of run.json and data.json that give other answers."""
    config, about = json.loads(r.bytes("run.json")), json.loads(r.bytes("data.json"))
    for name, old, news in [
            ("run.json", config, [{"temperature": 0.5}, {"iterations": 2000000}, {"epochs": 2000000}, {"seed": 99},
                                  {"model": "mlp:100000,100000"}, {"kelvin": "0.6.0"}, {"chains": 1}, {"warmup": 0},
                                  *({"sampler": each} for each in samplers)]),
            ("data.json", about, [{"train": 99}, {"test": 0}, {"classes": about["classes"][::-1]}, {"mean": [9.0] * len(about["mean"])},
                                  {"deviation": [9.0] * len(about["deviation"])}, {"columns": (about["columns"] or [])[::-1]}])]:
        for new in news:
            key = next(iter(new))
            if key not in old or new[key] == old[key]:
                continue
            raw = mutations.dump({**old, **new})
            tally["damages"] += 1
            noticed = damage(r, f"{name}: {new}", lambda: r.put(name, raw))
            check(f"{r.folder}: {name}: {new} is noticed", noticed)
            vouched(r, f"{name}: {new}", lambda: put_vouched(r, name, raw))


def stopped(r):
    """A state that says, with the right checksums of its own, that its chain diverged."""
    name = "chain-001/state.safetensors"
    raw = next(new for what, new in mutations.tensor_edits(r.bytes(name)) if what == "__metadata__.diverged = x")
    tally["damages"] += 1
    check(f"{r.folder}: a chain that is said to have diverged is noticed",
          damage(r, f"{name}: diverged", lambda: r.put(name, mutations.sign(raw))))


def narrow(r):
    """A chain whose history has fewer columns than the others'."""
    for name in ("chain-000/history.csv", "chain-001/history.csv"):
        for columns in (1, 3, 6):
            raw = b"".join(line.rsplit(b",", columns)[0] + b"\n" for line in r.bytes(name).splitlines())
            vouched(r, f"{name}: {columns} columns less", lambda: put_vouched(r, name, raw))


def lost_manifest(r):
    """Without a manifest files must still not be mixed up: run.json says one thing, the files of chains another."""
    tally["damages"] += 1
    damage(r, "run.json of another run, and no manifest",
           lambda: (r.put("run.json", r.others[0].bytes("run.json")), remove(r.path("manifest"))), False)


def all_of(r, samplers):
    names = r.files()
    for name in names:
        flips(r, name)
        foreign(r, name)
        if "chain-001" in name and EDITS < 10:
            continue  # as those of the first chain
        special(r, name)
        changes(r, name, samplers)
        in_the_way(r, name)
    for name in sorted(LEFT_OUT):
        in_the_way(r, name)
    known(r, samplers)
    stopped(r)
    narrow(r)
    lost_manifest(r)
    r.restore()


# ---- runs ----

DATA = ["--data", "csv:train.csv,label=kind,test=test.csv", "--threads", "2"]


def write_data():
    rng = random.Random(3)
    for name, n, header in [("train.csv", 24, 4), ("test.csv", 12, 4), ("inputs.csv", 5, 3)]:
        with open(name, "w") as file:
            print(*["height", "width", "depth", "kind"][:header], sep=",", file=file)
            for i in range(n):
                row = [f"{rng.gauss(i % 3, 1):.3f}", f"{rng.gauss(-(i % 3), 1):.3f}", f"{rng.gauss(0, 2):.3f}",
                       ["ash", "beech", "cedar"][i % 3]]
                print(*row[:header], sep=",", file=file)


def sample(folder, sampler, seed, more, program=KELVIN):
    """By any sampler: with the options of one that looks at all data, or of one that looks at batches."""
    for options in [["--iterations", "12", "--warmup", "4", "--steps", "5"], ["--iterations", "12", "--warmup", "4"],
                    ["--samples", "4", "--epochs", "8", "--batch", "6", "--schedule", "constant"]]:
        result = run("sample", "--preset", "paper", "--sampler", sampler, *DATA, "--seed", str(seed), "--model", "mlp:3", "--chains", "2", *options, *more,
                     "-o", folder, program=program)
        if result.code != 2:
            break
    check(f"{folder} is sampled", result.code == 0, result.said)


def pair(name, sampler, more=(), program=KELVIN):
    """Two runs that differ in their seeds."""
    for seed in (1, 2):
        sample(f"{name}-{seed}", sampler, seed, more, program)
    other = Run(f"{name}-2", [])
    return Run(f"{name}-1", [other])


def several_bundles(samplers):
    """A run whose chains have more than one file of draws; of which most are warm-up, for speed."""
    folder = "several"
    for sampler in samplers:
        result = run("sample", "--preset", "paper", "--sampler", sampler, *DATA, "--model", "mlp:2", "--chains", "2", "--iterations", "4100", "--warmup", "4080",
                     "--steps", "1", "-o", folder)
        if result.code == 0:
            break
    r = Run(folder, [])
    check("a chain leaves several files of draws", "chain-001/samples-001.safetensors" in r.first)
    r.learn()
    for name in r.files():
        if "samples-" in name:
            foreign(r, name)
            for _ in range(max(1, FLIPS // 20)):
                raw = mutations.flip(r.bytes(name), r.rng)
                noticed = damage(r, f"{name}: a flipped bit", lambda: r.put(name, raw))
                tally["flips"] += 1
                tally["noticed" if noticed else "harmless"] += noticed is not None
    tally["damages"] += 1
    damage(r, "a file of draws is gone", lambda: remove(r.path("chain-000/samples-000.safetensors")))


def earlier(samplers):
    """Folders of an earlier version: they have no manifest, so damage may not show; but nobody crashes. Those in tests/data, and
    with KELVIN_DAMAGE_OLD new ones."""
    runs = [pair("old-" + sampler, sampler, program=OLD) for sampler in ("sghmc", "hmc")] if OLD else []
    for folder in sorted(glob.glob(os.path.join(ROOT, "tests", "data", "run-0.*"))):
        shutil.copytree(folder, os.path.basename(folder))
        with open(os.path.basename(folder) + ".csv", "w") as file:
            file.write("0.5,0.25\n-1,2\n")
        runs.append(Run(os.path.basename(folder), []))
    print(f"{len(runs)} runs by earlier versions")
    for r in runs:
        r.made = "an earlier version"
        for kind in READERS:
            result = ask(kind, r.folder)
            whole = result.code == 0 and f"note: {r.folder}" in result.said or "test part" in result.said and kind != "eval"
            check(f"{r.folder}: {kind} as it is", whole, result.said)
        for name in r.files() if EDITS >= 10 else r.rng.sample(r.files(), 4):
            for _ in range(FLIPS):
                raw = mutations.flip(r.bytes(name), r.rng)
                vouched(r, f"{name}: a flipped bit", lambda: r.put(name, raw))
                tally["flips of earlier versions"] += 1
            vouched(r, f"{name}: gone", lambda: remove(r.path(name)))
            changes(r, name, samplers)
        narrow(r)


def main():
    signal.signal(signal.SIGALRM, wake)
    write_data()
    samplers = [each["name"] for each in json.loads(run("info", "--json").answer)["samplers"]]
    check("samplers are known", len(samplers) > 0)
    for sampler in samplers:
        if ONLY in (None, sampler):
            r = pair(sampler, sampler)
            r.learn()
            all_of(r, samplers)
    if ONLY in (None, "several"):
        several_bundles(samplers)
    if ONLY in (None, "old"):
        earlier(samplers)
    print(", ".join(f"{n} {what}" for what, n in tally.items()))
    print(f"{passed} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
