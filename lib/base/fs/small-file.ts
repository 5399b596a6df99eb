import { statSync } from "node:fs";
import { readText } from "./files.js";

/** A small text file of our own that is read often and written seldom. */
export interface SmallFile {
  /** Its text without blanks around it; undefined when it is missing or empty. */
  read(): Promise<string | undefined>;
}

/**
 * Read the file again only when it is another one: it is replaced by a rename, so its inode, time or size tell. One look takes 3 µs;
 * a read through the thread pool would wait behind every write that is being synced.
 */
export function smallFile(path: string): SmallFile {
  let known = "";
  let text: string | undefined;
  return {
    read: async () => {
      const found = statSync(path, { bigint: true, throwIfNoEntry: false });
      const now = found === undefined ? "" : `${found.ino} ${found.mtimeNs} ${found.size}`;
      if (now === known) return text;
      text = found === undefined ? undefined : (await readText(path))?.trim() || undefined;
      known = now;
      return text;
    },
  };
}
