import { type FSWatcher, realpathSync, watch } from "node:fs";
import { basename, dirname } from "node:path";
import { systemCode } from "../errors.js";

/**
 * Call `changed` whenever one of the files is written, made, removed or replaced; also when it is a link and its target is. The directories
 * are watched, since editors replace files; what else happens in them costs one look at a name. Does not keep the process alive.
 *
 * @param failed called with the cause when a directory cannot be watched (any longer)
 * @returns stops watching; harmless twice
 */
export function watchFiles(paths: readonly string[], changed: () => void, failed: (error: Error) => void): () => void {
  let places = placesOf(paths);
  let stops = places.map(start);
  let stopped = false;
  return () => {
    stopped = true;
    for (const stop of stops) stop();
  };

  function start({ dir, names }: Place): () => void {
    try {
      const watcher = watch(dir, { persistent: false }, (_event, name) => {
        if (stopped || (name !== null && !names.has(name))) return;
        follow();
        changed();
      });
      watcher.on("error", failed);
      return () => watcher.close();
    } catch (error) {
      failed(error instanceof Error ? error : new Error(String(error)));
      return () => undefined;
    }
  }

  /** A link may lead elsewhere now. */
  function follow(): void {
    const now = placesOf(paths);
    if (JSON.stringify(now.map(flat)) === JSON.stringify(places.map(flat))) return;
    for (const stop of stops) stop();
    places = now;
    stops = places.map(start);
  }
}

/**
 * Call `changed` whenever a name appears in `dir` or goes, also when the directory itself is made only later. Does not keep the process alive.
 *
 * @returns stops watching; harmless twice
 */
export function watchNames(dir: string, changed: () => void, failed: (error: Error) => void): () => void {
  let inner: FSWatcher | undefined;
  const enter = () => {
    inner?.close();
    inner = undefined;
    try {
      inner = watch(dir, { persistent: false }, (event) => (event === "rename" ? changed() : undefined));
      inner.on("error", failed);
    } catch (error) {
      if (systemCode(error) !== "ENOENT") failed(error instanceof Error ? error : new Error(String(error)));
    }
  };
  const outer = watchFiles(
    [dir],
    () => {
      enter();
      changed();
    },
    failed,
  );
  enter();
  return () => {
    outer();
    inner?.close();
  };
}

interface Place {
  readonly dir: string;
  readonly names: ReadonlySet<string>;
}

function placesOf(paths: readonly string[]): Place[] {
  const byDir = new Map<string, Set<string>>();
  for (const path of [...paths, ...paths.flatMap(targetOf)]) {
    const names = byDir.get(dirname(path)) ?? new Set();
    byDir.set(dirname(path), names.add(basename(path)));
  }
  return [...byDir].map(([dir, names]) => ({ dir, names }));
}

/** Where the file really is; nothing while it is not there. */
function targetOf(path: string): string[] {
  try {
    return [realpathSync(path)];
  } catch {
    return []; // its making shows in its directory
  }
}

const flat = ({ dir, names }: Place) => [dir, ...names];
