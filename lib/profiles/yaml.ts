import { AppError } from "../base/errors.js";
import { readTextSync, replaceTextFile } from "../base/fs/text-file.js";

/** Longest file that is read; settings of people are far shorter. */
const MAX_CHARS = 1 << 20;

/** A small YAML file as an object; empty when it is missing, or cannot be read as one. */
export async function readMembers(path: string): Promise<Readonly<Record<string, unknown>>> {
  const text = readTextSync(path);
  if (text === undefined || text.trim() === "" || text.length > MAX_CHARS) return {};
  const { parseDocument } = await import("yaml");
  const document = parseDocument(text);
  if (document.errors.length > 0) return {};
  const value: unknown = document.toJS({ maxAliasCount: 100 });
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}; // looked at before
}

/** Set members of a small YAML file; comments, order and everything else stay. @throws E_CONFIG the file is broken; its bytes are unchanged */
export async function editMembers(path: string, members: Readonly<Record<string, unknown>>): Promise<void> {
  const { isMap, parseDocument } = await import("yaml");
  const document = parseDocument(readTextSync(path) ?? "", { uniqueKeys: true });
  const problem =
    document.errors[0]?.message.split("\n")[0] ??
    (document.contents === null || isMap(document.contents) ? undefined : "not a map");
  if (problem !== undefined)
    throw new AppError("E_CONFIG", `${path}: ${problem}; nothing was written`, {
      hint: "correct the file, then retry",
    });
  for (const [name, value] of Object.entries(members)) document.setIn([name], value);
  replaceTextFile(path, document.toString({ lineWidth: 0 }));
}
