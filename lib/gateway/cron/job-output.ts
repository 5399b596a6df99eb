import { join } from "node:path";
import { listDirectory, makeDirectory, readText, removeFile, writeAtomic } from "../../base/fs/files.js";
import { type EpochMs, toIso } from "../../base/units.js";

/** What runs of jobs came to, one file each: `<folder>/<job>/<time>.md`. */
export interface Outputs {
  /** @returns the path */
  write(job: string, at: EpochMs, text: string): Promise<string>;
  /** The newest one of a job, cut to `chars`; undefined without one. */
  newest(job: string, chars: number): Promise<string | undefined>;
}

/** @param keep Files of a job; older ones go. */
export function createOutputs(folder: string, keep: () => number): Outputs {
  const filesOf = async (job: string): Promise<string[]> => {
    const entries = await listDirectory(join(folder, job)).catch(() => []);
    return entries.flatMap(({ name, kind }) => (kind === "file" && name.endsWith(".md") ? [name] : [])).sort();
  };
  return {
    write: async (job, at, text) => {
      const dir = join(folder, job);
      await makeDirectory(dir, 0o700);
      const time = toIso(at).replaceAll(":", "-").replace("Z", "");
      const path = join(dir, `${time}.md`);
      await writeAtomic(path, text.endsWith("\n") ? text : `${text}\n`, 0o600);
      const files = await filesOf(job);
      for (const old of files.slice(0, Math.max(0, files.length - Math.max(1, keep()))))
        await removeFile(join(dir, old));
      return path;
    },
    newest: async (job, chars) => {
      const last = (await filesOf(job)).at(-1);
      const text = last === undefined ? undefined : await readText(join(folder, job, last));
      return text === undefined ? undefined : [...text.slice(0, chars * 2)].slice(0, chars).join("").trimEnd();
    },
  };
}
