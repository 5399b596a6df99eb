import { readFileSync, statSync } from "node:fs";
import { domainToASCII } from "node:url";
import { systemCode } from "../../base/errors.js";

/** Most that a shared file is read of; a list of hosts of this size names a million. */
const MOST_BYTES = 32 << 20;

/** Whether a host is on a list: a name stands for itself and everything below it; `*.name` too. */
export function onList(host: string, list: ReadonlySet<string>): string | undefined {
  for (let at = 0; at >= 0; at = host.indexOf(".", at) + 1 || -1) {
    const name = host.slice(at);
    if (list.has(name)) return name;
  }
  return undefined;
}

const made = new WeakMap<readonly string[], ReadonlySet<string>>();

/** Names of a list as they are compared: lower case, in the spelling of DNS, without stars, dots around them and ports. */
export function namesOf(entries: readonly string[]): ReadonlySet<string> {
  const known = made.get(entries) ?? new Set(entries.map(nameOf).filter((name) => name !== ""));
  made.set(entries, known);
  return known;
}

function nameOf(entry: string): string {
  const bare = entry
    .trim()
    .toLowerCase()
    .replace(/^[a-z][a-z\d+.-]*:\/\//, "")
    .replace(/[/?#].*$/, "");
  const [, six] = /^\[([\da-f:.]+)\](?::\d+)?$/.exec(bare) ?? [];
  if (six !== undefined) return six;
  if (/^[\da-f]*:[\da-f:.]*:[\da-f:.]*$/.test(bare)) return bare; // an address of the newer form
  const name = bare.replace(/:\d+$/, "").replace(/^(\*?\.)+|\.+$/g, "");
  return domainToASCII(name) || name;
}

interface SharedFile {
  readonly stamp: string;
  readonly names: ReadonlySet<string>;
}

const shared = new Map<string, SharedFile>();

/** The names of a file, one a line; `#` begins a comment, and a line of a hosts file names what stands behind its address. Read again when it changed. */
export function sharedNames(path: string): ReadonlySet<string> | { readonly unreadable: string } {
  try {
    const { ino, size, mtimeMs } = statSync(path);
    const stamp = `${ino}:${size}:${mtimeMs}`;
    const known = shared.get(path);
    if (known?.stamp === stamp) return known.names;
    if (size > MOST_BYTES) return { unreadable: `larger than ${MOST_BYTES >> 20} MiB` };
    const names = namesOf(readFileSync(path, "utf8").split("\n").flatMap(entriesOf));
    if (shared.size > 16) shared.clear();
    shared.set(path, { stamp, names });
    return names;
  } catch (error) {
    return { unreadable: systemCode(error) ?? "unreadable" };
  }
}

function entriesOf(line: string): readonly string[] {
  const words = line
    .replace(/#[\s\S]*$/, "")
    .split(/\s+/)
    .filter((word) => word !== "");
  return words.length > 1 && /^[\da-f.:]+$/i.test(words[0] ?? "") ? words.slice(1) : words;
}
