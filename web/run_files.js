// Files of a run as people bring them: dropped, chosen one by one, or as a folder; sorted into what a run folder has.

const RUN_MOST_FILES = 20000;
const RUN_USED = /^(run\.json|data\.json|manifest|(logits|labels)_(test|train)\.npy|(chain-\d+\/)?history\.csv)$/;
const RUN_UNUSED = /(^|\/)(chain-\d+\/.*|.*\.safetensors|times\.csv|lock|\.DS_Store)$/;
// The folder of what can only be a run's, before its name.
const RUN_PLACE = /^(.*\/)?(run\.json|data\.json|manifest|(logits|labels)_(test|train)\.npy|chain-\d+\/history\.csv)$/;

// ---- bringing ----

function runPush(found, path, file) {
  if (found.length >= RUN_MOST_FILES)
    throw new Error(`these are more than ${RUN_MOST_FILES} files: drop the folder of one run`);
  found.push({ path, file });
}

// A folder by its handle: in Chromium, which reads no entries for a page that was opened from a file.
async function runWalkHandle(handle, path, found) {
  for await (const inside of handle.values()) {
    if (inside.kind === 'directory') await runWalkHandle(inside, `${path}${inside.name}/`, found);
    else runPush(found, path + inside.name, await inside.getFile());
  }
}

// The same elsewhere. An entry tells what is in it some at a time.
async function runWalkEntry(entry, path, found) {
  const asked = (call) => new Promise((resolve, reject) => call(resolve, reject));
  const reader = entry.createReader();
  for (;;) {
    const some = await asked((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) return;
    for (const inside of some) {
      if (inside.isDirectory) await runWalkEntry(inside, `${path}${inside.name}/`, found);
      else runPush(found, path + inside.name, await asked((resolve, reject) => inside.file(resolve, reject)));
    }
  }
}

async function runWalkFolder({ entry, handle }, found) {
  const opened = await handle?.catch(() => null);
  try {
    if (opened) await runWalkHandle(opened, `${entry.name}/`, found);
    else await runWalkEntry(entry, `${entry.name}/`, found);
  } catch (error) {
    throw new Error(error instanceof DOMException
      ? `${entry.name}: this browser does not let the page look into a dropped folder; choose it by the button, `
        + 'or drop the files in it' : error.message);
  }
}

// What was dropped, folders with all that is in them: [{ path, file }]. Items must be asked at once: they are gone when
// the event is over.
export async function runDropped(transfer) {
  const items = [...transfer.items].filter((item) => item.kind === 'file').map((item) => {
    const entry = item.webkitGetAsEntry?.();
    if (!entry?.isDirectory) return { file: item.getAsFile() };
    return { entry, handle: item.getAsFileSystemHandle?.() };
  });
  const found = [];
  for (const item of items) {
    if (item.file) runPush(found, item.file.name, item.file);
    else if (item.entry) await runWalkFolder(item, found);
  }
  return found;
}

export function runChosen(files) {
  return [...files].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
}

// ---- sorting ----

// { folder, files, aside }: by their paths in the run's folder, and the names of those that no run has. Loose files
// called history.csv are told apart by numbers.
export function runSort(brought) {
  const places = brought.map(({ path }) => path.match(RUN_PLACE)).filter(Boolean);
  const roots = new Set(places.map((match) => match[1] ?? ''));
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
