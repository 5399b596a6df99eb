import { UNKNOWN } from "../options/command-line.js";
import type { Parse } from "./state.js";

/** Characters that end a word. */
export const ENDS = new Set([" ", "\t", "\n", ";", "&", "|", "<", ">", "(", ")", ""]);

/** `~` is the user's home, `~name` that of somebody else. */
export function homeAt(p: Parse): { path: string; length: number } | undefined {
  const [whole = "", name = "", end = ""] =
    /^~([a-z_][\w-]{0,31}|[-+]\d*)?(.?)/s.exec(p.text.slice(p.at, p.at + 40)) ?? [];
  if (end !== "/" && !ENDS.has(end)) return undefined;
  if (name === "") return { path: p.known.get("HOME") ?? p.scope.userHome, length: 1 };
  const [here] = p.place.dirs;
  if (/^[-+]/.test(name))
    return {
      path: name === "+" && p.place.dirs.length === 1 && here !== undefined ? here : UNKNOWN,
      length: whole.length - end.length,
    };
  return { path: name === "root" ? "/root" : `/home/${name}`, length: whole.length - end.length };
}
