import { homedir } from "node:os";
import { resolve } from "node:path";
import { listDirectory } from "../../base/fs/files.js";
import { expandTilde } from "../../base/tilde.js";
import type { Completion } from "../../contracts/chat/slash.js";

const MOST = 50;
const MOST_LOOKED_AT = 5_000; // core part, 1.3

/** Names below the directory that the last word of a shell line has come to. Hidden ones where a dot was typed. */
export async function pathsAt(line: string, cwd: string): Promise<readonly Completion[]> {
  const word = /(?:\\.|[^\s\\])*$/.exec(line.replace(/^!!?/, (marks) => " ".repeat(marks.length)))?.[0] ?? "";
  const plain = word.replace(/\\(.)/g, "$1");
  const cut = plain.lastIndexOf("/") + 1;
  const folder = plain.slice(0, cut);
  const name = plain.slice(cut);
  const entries = (await listDirectory(resolve(cwd, expandTilde(folder, homedir())))).slice(0, MOST_LOOKED_AT);
  return entries
    .filter((entry) => entry.name.startsWith(name) && (name.startsWith(".") || !entry.name.startsWith(".")))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .slice(0, MOST)
    .map((entry): Completion => {
      const directory = entry.kind === "directory";
      const label = `${entry.name}${directory ? "/" : ""}`;
      const text = `${folder}${label}`.replace(/([\s\\'"$&|;<>()*?#!`])/g, "\\$1");
      return {
        text,
        label,
        detail: directory ? "directory" : "file",
        kind: directory ? "directory" : "file",
        from: line.length - word.length,
      };
    });
}
