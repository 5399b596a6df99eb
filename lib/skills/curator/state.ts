import * as z from "zod";
import { readRegularFileSync } from "../../base/fs/files.js";
import { replaceTextFile } from "../../base/fs/text-file.js";
import { type FileLockDeps, lockFile } from "../../base/process/file-lock.js";
import type { CuratorState } from "../../contracts/skills/curator.js";

const FILE_MAX = 1 << 20;
const WAIT_MS = 5_000;

const instant = z.iso.datetime().nullable().catch(null);
const text = z.string().nullable().catch(null);
const file = z.object({
  last_run_at: instant,
  last_run_duration: z.number().nullable().catch(null),
  last_run_summary: text,
  summary_shown_at: instant,
  last_report: text,
  paused: z.boolean().catch(false),
  run_count: z.int().min(0).catch(0),
});

export interface StateFile {
  read(): CuratorState;
  change(to: (before: CuratorState) => Partial<CuratorState>): Promise<CuratorState>;
}

/** `skills/.curator.json`. A damaged file counts as one that was never written. */
export function createStateFile(path: string, deps: FileLockDeps): StateFile {
  const read = (): CuratorState => {
    const bytes = readRegularFileSync(path, FILE_MAX);
    try {
      return file.parse(bytes === undefined ? {} : JSON.parse(bytes.toString("utf8")));
    } catch {
      return file.parse({}); /* ok to lose: the curator observes the home again, and waits one interval */
    }
  };
  return {
    read,
    change: async (to) => {
      const lock = await lockFile(`${path}.lock`, deps, { ms: WAIT_MS });
      try {
        const before = read();
        const next = { ...before, ...to(before) };
        replaceTextFile(path, `${JSON.stringify(next, null, 1)}\n`, 0o600);
        return next;
      } finally {
        lock.release();
      }
    },
  };
}
