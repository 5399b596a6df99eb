import { join } from "node:path";
import * as z from "zod";
import { makeDirectory, readRegularFileSync, removeFile, writeAtomic } from "../../base/fs/files.js";

const MAX_BYTES = 4 << 20;

const installed = z.object({
  url: z.string(),
  /** Branch or tag that was asked for; empty: the default branch. */
  ref: z.string(),
  subdir: z.string(),
  commit: z.string(),
});
const records = z.object({
  installed: z.record(z.string(), installed).default({}),
  /** Real path of a project's plugin -> hash that was allowed. */
  consents: z.record(z.string(), z.string()).default({}),
});
export type InstalledFrom = z.output<typeof installed>;
export type PluginRecords = z.output<typeof records>;

/** What the program remembers about plugins, in a file below `plugins/` that no tool writes to. */
export interface RecordsFile {
  read(): PluginRecords;
  change(change: (records: PluginRecords) => PluginRecords): Promise<void>;
}

/** Directory of the program's own records about plugins. */
export const statesOf = (home: string): string => join(home, "plugins", ".state");

export function pluginRecords(home: string): RecordsFile {
  const dir = statesOf(home);
  const path = join(dir, "plugins.json");
  const read = (): PluginRecords => {
    const bytes = readRegularFileSync(path, MAX_BYTES);
    const empty = { installed: {}, consents: {} };
    if (bytes === undefined) return empty;
    try {
      return records.parse(JSON.parse(bytes.toString("utf8")));
    } catch {
      return empty; /* ok to lose: consents are asked for again, and what was installed stays where it is */
    }
  };
  return {
    read,
    change: async (change) => {
      await makeDirectory(dir, 0o700);
      await writeAtomic(path, JSON.stringify(change(read()), null, 2), 0o600);
    },
  };
}

const mark = z.object({ pid: z.number(), times: z.number() });
/** So often a process may end while it loads a plugin before that is taken for the cause. */
const ENDS = 2;

/** Marks of plugins whose code is being loaded: one that never returns hangs the whole process, and the next one must know. */
export interface LoadingMarks {
  begin(key: string): Promise<void>;
  end(key: string): Promise<void>;
  /** Processes have ended while they loaded it. @param lives whether a process is still there */
  hung(key: string, lives: (pid: number) => boolean): boolean;
}

export function loadingMarks(home: string, pid: number): LoadingMarks {
  const dir = join(statesOf(home), "loading");
  const at = (key: string) => join(dir, `${encodeURIComponent(key)}.json`);
  const read = (key: string) => {
    const bytes = readRegularFileSync(at(key), MAX_BYTES);
    try {
      return bytes === undefined ? undefined : mark.parse(JSON.parse(bytes.toString("utf8")));
    } catch {
      return undefined; /* ok to lose: a mark that was cut by the end of the process counts as none */
    }
  };
  return {
    begin: async (key) => {
      const times = (read(key)?.times ?? 0) + 1;
      await makeDirectory(dir, 0o700);
      await writeAtomic(at(key), JSON.stringify({ pid, times }), 0o600, false);
    },
    end: (key) => removeFile(at(key)),
    hung: (key, lives) => {
      const known = read(key);
      return known !== undefined && known.times >= ENDS && known.pid !== pid && !lives(known.pid);
    },
  };
}
