// Files of a run as people bring them: dropped, chosen one by one, or as a folder; sorted into what a run folder has.

const RUN_MOST_FILES = 20000;
const RUN_USED = /^(run\.json|data\.json|manifest|(logits|labels)_(test|train)\.npy|(chain-\d+\/)?history\.csv)$/;
const RUN_UNUSED = /(^|\/)(chain-\d+\/.*|.*\.safetensors|times\.csv|lock|\.DS_Store)$/;
const RUN_PLACE = /^(.*\/)?(run\.json|data\.json|manifest|(?:logits|labels)_(?:test|train)\.npy|chain-\d+\/history\.csv)$/;

// ---- bringing ----

function runEntryFile(entry) {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

// A folder tells what is in it some at a time.
async function runEntryList(entry) {
  const reader = entry.createReader();
  const list = [];
  for (;;) {
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) return list;
    list.push(...some);
  }
}

async function runWalk(entry, path, found) {
  if (found.length > RUN_MOST_FILES) throw new Error(`These are more than ${RUN_MOST_FILES} files: drop one run's folder.`);
  if (entry.isFile) found.push({ path: path + entry.name, file: await runEntryFile(entry) });
  else for (const inside of await runEntryList(entry)) await runWalk(inside, `${path}${entry.name}/`, found);
}

// What was dropped, folders with all that is in them: [{ path, file }]. Entries must be asked for at once: they are gone
// when the event is over.
export async function runDropped(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  const plain = [...transfer.files];
  if (!entries.length) return plain.map((file) => ({ path: file.name, file }));
  const found = [];
  try {
    for (const entry of entries) await runWalk(entry, '', found);
  } catch (error) {
    throw new Error(error.message.endsWith('.') ? error.message : `What was dropped could not be read: ${error.message}.`);
  }
  return found;
}

export function runChosen(files) {
  return [...files].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
}

// ---- sorting ----

// { folder, files, aside }: by their paths in the run's folder, and the names of those that no run has. Loose files called
// history.csv are told apart by numbers.
export function runSort(brought) {
  const roots = new Set(brought.map(({ path }) => path.match(RUN_PLACE)).filter(Boolean).map((match) => match[1] ?? ''));
  if (roots.size > 1)
    throw new Error(`These are files of ${roots.size} runs (${[...roots].slice(0, 3).map((one) => one || 'no folder')
      .join(', ')}${roots.size > 3 ? ', ...' : ''}): drop one run at a time.`);
  const [root = ''] = roots;
  const files = [];
  const aside = [];
  for (const { path, file } of brought) {
    const inside = path.startsWith(root) ? path.slice(root.length) : path;
    if (RUN_USED.test(inside)) files.push({ path: runFresh(files, inside), file });
    else if (path.endsWith('/history.csv') && !roots.size) files.push({ path: runFresh(files, 'history.csv'), file });
    else if (!RUN_UNUSED.test(inside)) aside.push(path);
  }
  return { folder: root.replace(/\/$/, '').split('/').pop(), files, aside };
}

function runFresh(files, path) {
  if (path !== 'history.csv' || !files.some((one) => one.path === path)) return path;
  const number = files.filter((one) => one.path.endsWith('history.csv')).length + 1;
  return `${number}-history.csv`;
}

// Files that come later take the place of those of the same name.
export function runMerge(before, files) {
  const merged = new Map(before.map((one) => [one.path, one]));
  for (const one of files) merged.set(one.path, one);
  return [...merged.values()];
}
