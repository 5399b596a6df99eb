import { realpathSync, statSync, watch } from "node:fs";
import { basename, dirname } from "node:path";

/**
 * Call `changed` whenever one of the files is written, made, removed or replaced; also when it is a link and its target is. The directories
 * are watched, since editors replace files; what else happens in them costs one look at a name. Does not keep the process alive.
 *
 * Not by chokidar, for two reasons that were measured: in a home, which stores are written to all the time, it reads the whole directory again at
 * every write as long as one of the files is not there (100 ms of processor for 150 writes, a look at the names 5 ms); and it loses a file that is
 * replaced twice before it looks, when the second one gets the inode of the first.
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
      failed(toError(error));
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
 * Call `changed` when a directory appears in `dir` or goes, also when `dir` itself is created later or again. Files in it are not watched.
 *
 * @returns stops watching; harmless twice
 */
export function watchDirectories(dir: string, changed: () => void, failed: (error: Error) => void): () => void {
  let leave = enterDirectory(dir, changed, failed);
  const stop = watchFiles(
    [dir],
    () => {
      leave();
      leave = enterDirectory(dir, changed, failed);
      changed();
    },
    failed,
  );
  return () => {
    stop();
    leave();
  };
}

/** Watch what is directly in `dir`, if it is there. */
function enterDirectory(dir: string, changed: () => void, failed: (error: Error) => void): () => void {
  const before = stateOf(dir);
  if (before === undefined) return () => undefined; // its making shows in its parent
  const left = new AbortController();
  const begin = async () => {
    const chokidar = await import("chokidar");
    if (left.signal.aborted) return;
    const watcher = new chokidar.FSWatcher({
      ignoreInitial: true,
      atomic: true,
      depth: 0,
      ignored: (entry, stats) => entry !== dir && stats?.isFile() === true,
    });
    // CHOKIDAR_USEPOLLING and CHOKIDAR_INTERVAL, which a person sets for other programs, win over options that are given at the start.
    watcher.options = { ...watcher.options, usePolling: false };
    watcher.add(dir);
    watcher.on("addDir", changed);
    watcher.on("unlinkDir", changed);
    watcher.on("error", (error) => failed(toError(error)));
    // Between the look at it and the first watch something may have happened.
    watcher.on("ready", () => {
      if (stateOf(dir) !== before) changed();
    });
    left.signal.addEventListener("abort", () => {
      watcher.close().catch((error: unknown) => failed(toError(error)));
    });
  };
  begin().catch((error: unknown) => failed(toError(error)));
  return () => left.abort();
}

/** Changes with the names in a directory; undefined when it is not there. */
function stateOf(dir: string): string | undefined {
  try {
    const { ino, mtimeMs } = statSync(dir);
    return `${ino} ${mtimeMs}`;
  } catch {
    return undefined; // not there, or behind something that cannot be read
  }
}

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

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
