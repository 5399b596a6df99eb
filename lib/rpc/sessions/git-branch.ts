import { dirname, join, resolve } from "node:path";
import { readTextSync } from "../../base/fs/text-file.js";

/** The branch that is checked out where a directory stands, read from the repository's own files: no program is started. "": no repository. */
export function gitBranch(directory: string): string {
  for (let at = resolve(directory); ; at = dirname(at)) {
    const head = headOf(join(at, ".git"));
    if (head !== undefined) return shown(head);
    if (dirname(at) === at) return "";
  }
}

/** `.git` is a directory, or in a work tree of its own a file that names one. */
function headOf(git: string): string | undefined {
  const own = read(join(git, "HEAD"));
  if (own !== undefined) return own;
  const named = /^gitdir: (.+)$/m.exec(read(git) ?? "")?.[1];
  return named === undefined ? undefined : read(join(resolve(dirname(git), named.trim()), "HEAD"));
}

const shown = (head: string): string => /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1]?.trim() ?? head.trim().slice(0, 8);

function read(path: string): string | undefined {
  try {
    return readTextSync(path)?.slice(0, 1_000);
  } catch {
    return undefined; /* ok to lose: what cannot be read names no branch */
  }
}
