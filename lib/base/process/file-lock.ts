import { closeSync, openSync, readFileSync, statSync, unlinkSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { AppError, systemCode } from "../errors.js";
import { makeDir } from "../fs/directory.js";
import type { Ids } from "../ids.js";
import { isRecord, jsonOf } from "../json/record.js";
import type { Clock } from "../time/clock.js";
import type { Ms } from "../units.js";
import type { ProcessId, Spawner } from "./spawn.js";

/** A lock between processes, for work that takes longer than a write. It outlives its holder as a file, which the next one takes over. */
export interface FileLock {
  /** Give the lock up. Harmless twice. */
  release(): void;
}

export interface FileLockDeps {
  readonly clock: Pick<Clock, "mono" | "sleep">;
  readonly ids: Pick<Ids, "hex">;
  readonly spawner: Pick<Spawner, "identify" | "alive">;
}

export interface FileLockWait {
  readonly ms: Ms;
  readonly signal?: AbortSignal | undefined;
  /** Kept in the file beside the identity of the holder; a refused process gets it as `data.note`. */
  readonly note?: Readonly<Record<string, string>>;
}

/** Milliseconds after which an unfinished file counts as left by a process that died, or by a loss of power. */
const UNFINISHED_MS: Ms = 2_000;
const LOOK_FIRST_MS: Ms = 5;
const LOOK_MOST_MS: Ms = 25;

/**
 * Hold the lock file at `path`: made exclusively, with the identity of this process in it. That of a process which is gone is taken over.
 *
 * @throws E_BUSY naming the pid of the holder when it does not give the lock up in time; the signal's reason
 */
export async function lockFile(path: string, deps: FileLockDeps, wait: FileLockWait): Promise<FileLock> {
  makeDir(dirname(path));
  const nonce = deps.ids.hex(16);
  const until = deps.clock.mono() + wait.ms;
  let unfinished: { readonly key: string; readonly since: Ms } | undefined;
  for (let pause = LOOK_FIRST_MS; ; pause = Math.min(pause * 2, LOOK_MOST_MS)) {
    wait.signal?.throwIfAborted();
    if (create(path, { nonce, note: wait.note }, deps)) return held(path, nonce);
    const seen = look(path);
    if (seen === undefined) continue;
    const now = deps.clock.mono();
    if (seen.holder !== undefined) unfinished = undefined;
    else if (unfinished?.key !== seen.key) unfinished = { key: seen.key, since: now };
    const gone = seen.holder
      ? seen.holder.start !== "" && !deps.spawner.alive(seen.holder)
      : now - (unfinished?.since ?? now) >= UNFINISHED_MS;
    if (now >= until && !gone) throw busy(path, seen);
    if (gone) await takeOver(path, seen, deps, { ...wait, ms: Math.max(until - now, LOOK_MOST_MS) });
    else await deps.clock.sleep(Math.max(1, Math.min(pause, until - now)), wait.signal);
  }
}

/** Whether a process that lives holds the lock. Looks only. */
export function isLockHeld(path: string, { spawner }: Pick<FileLockDeps, "spawner">): boolean {
  const holder = look(path)?.holder;
  return holder !== undefined && (holder.start === "" || spawner.alive(holder));
}

interface Made {
  readonly nonce: string;
  readonly note: FileLockWait["note"];
}

/** Written in one piece right after it was made; a process that finds it empty meanwhile waits. */
function create(path: string, { nonce, note = {} }: Made, { spawner }: FileLockDeps): boolean {
  const self = spawner.identify(process.pid);
  const file = openUnlessThere(path);
  if (file === undefined) return false;
  try {
    const text = { ...note, pid: process.pid, start_ticks: self?.start ?? "", boot_id: self?.boot ?? "", nonce };
    writeSync(file, `${JSON.stringify(text)}\n`);
  } finally {
    closeSync(file);
  }
  return look(path)?.key === nonce; // a process that was stopped for long in between has lost it
}

function openUnlessThere(path: string): number | undefined {
  try {
    return openSync(path, "wx", 0o600);
  } catch (error) {
    if (systemCode(error) === "EEXIST") return undefined;
    throw error;
  }
}

interface Seen {
  /** Names this lock and no later one at the same path. */
  readonly key: string;
  readonly holder: ProcessId | undefined;
  readonly note?: Readonly<Record<string, string>>;
}

function look(path: string): Seen | undefined {
  try {
    const inode = statSync(path).ino;
    const text = jsonOf(readFileSync(path, "utf8"));
    if (!isRecord(text)) return { key: `unfinished-${inode}`, holder: undefined };
    const { pid, start_ticks: start, boot_id: boot, nonce, ...rest } = text;
    const whole = typeof pid === "number" && typeof start === "string" && typeof boot === "string";
    if (!whole || typeof nonce !== "string" || !/^[0-9a-f]{1,64}$/.test(nonce))
      return { key: `unfinished-${inode}`, holder: undefined };
    const note = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, String(value)]));
    return { key: nonce, holder: { pid, start, boot }, note };
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Only who holds the lock named after the stale one may remove it, and looks again first: of several that found it stale, none can remove the
 * lock that another has made since.
 */
async function takeOver(path: string, stale: Seen, deps: FileLockDeps, wait: FileLockWait): Promise<void> {
  const right = await lockFile(`${path}.${stale.key}`, deps, { ms: wait.ms, signal: wait.signal });
  try {
    if (look(path)?.key === stale.key) unlinkSync(path);
  } finally {
    right.release();
  }
}

function held(path: string, nonce: string): FileLock {
  let open = true;
  return {
    release: () => {
      if (open && look(path)?.key === nonce) unlinkSync(path);
      open = false;
    },
  };
}

function busy(path: string, { holder, note }: Seen): AppError {
  const who = holder === undefined ? "an unidentified process" : `process ${holder.pid}`;
  return new AppError("E_BUSY", `${path} is locked by ${who}`, {
    path,
    ...(holder === undefined ? {} : { pid: holder.pid, note }),
    hint: "wait until it has finished, then retry",
  });
}
