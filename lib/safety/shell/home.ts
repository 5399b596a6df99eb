import type { Parse } from "./state.js";

/** Characters that end a word. */
export const ENDS = new Set([" ", "\t", "\n", ";", "&", "|", "<", ">", "(", ")", ""]);

/** `~` is the user's home, `~name` that of somebody else. */
export function homeAt(p: Parse): { path: string; length: number } | undefined {
  const [whole = "", name = "", end = ""] = /^~([a-z_][\w-]{0,31})?(.?)/s.exec(p.text.slice(p.at, p.at + 40)) ?? [];
  if (end !== "/" && !ENDS.has(end)) return undefined;
  if (name === "") return { path: p.scope.userHome, length: 1 };
  return { path: name === "root" ? "/root" : `/home/${name}`, length: whole.length - end.length };
}
