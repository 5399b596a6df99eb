import { AppError } from "../base/errors.js";
import { readTextSync, replaceSettings } from "../base/fs/text-file.js";
import { CONFIG_VERSION } from "../contracts/config/config.js";
import { changesLoading } from "../safety/shell/loading-variables.js";

/** A value as the command line gives it (part 70, 9.4). Digits with a leading zero stay text. */
export async function parseValue(text: string): Promise<unknown> {
  if (/^(true|yes|on)$/i.test(text)) return true;
  if (/^(false|no|off)$/i.test(text)) return false;
  if (text === "null" || text === "~") return null;
  if (/^-?(0|[1-9]\d*)(\.\d+)?$/.test(text)) return Number(text);
  if (!/^[[{]/.test(text)) return text;
  const { parse } = await import("yaml");
  try {
    return parse(text) as unknown;
  } catch (error) {
    throw new AppError(
      "E_USAGE",
      `invalid value: ${text}: ${error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error)}`,
    );
  }
}

/** Names from the outermost section on; numbers are places in lists. */
export type Words = readonly (string | number)[];

/** The words of a dotted key. */
export const splitConfigPath = (key: string): Words =>
  key.split(".").map((word) => (/^\d+$/.test(word) ? Number(word) : word));

/** Set or remove (`undefined`) one dotted key. Comments, order and quoting of everything else stay; the file is replaced in one step. */
export const editSettings = (path: string, key: string, value: unknown): Promise<void> =>
  editAll(path, [[splitConfigPath(key), value]]);

/** The same for several keys, in one step. */
export async function editAll(
  path: string,
  changes: readonly (readonly [words: Words, value: unknown])[],
): Promise<void> {
  const { isCollection, isScalar, parseDocument, YAMLMap } = await import("yaml");
  const text = readTextSync(path) ?? "";
  const document = parseDocument(text, { uniqueKeys: true });
  const problem = document.errors[0];
  if (problem)
    throw new AppError("E_CONFIG", `${path}: ${problem.message.split("\n")[0] ?? "invalid YAML"}; nothing was written`);
  refuseNewer(path, document.get("_config_version"));
  /** A section that was left empty is a null, which holds nothing. */
  const openSections = (words: Words) => {
    for (let depth = 1; depth < words.length; depth++) {
      const above = words.slice(0, depth);
      const node = document.getIn(above, true);
      if (node === undefined || isCollection(node)) continue;
      if (!isScalar(node) || node.value !== null)
        throw new AppError("E_CONFIG", `${path}: ${above.join(".")} is not a section; nothing was written`, {
          key: above.join("."),
        });
      const section = new YAMLMap();
      section.commentBefore = node.comment ?? null;
      document.setIn(above, section);
    }
  };
  let changed = false;
  for (const [words, value] of changes) {
    if (value === undefined && !document.hasIn(words)) continue;
    changed = true;
    if (value === undefined) removeKey(document, words);
    else {
      openSections(words);
      document.setIn(words, value);
    }
  }
  if (changed) replaceSettings(path, document.toString({ lineWidth: 0 }));
}

/** A change of one list: places count from 0. */
export type ListChange =
  | { readonly add: unknown }
  | { readonly remove: number }
  | { readonly move: { readonly from: number; readonly to: number } };

/** Change the list under a key. Its other items keep their comments and form; a list that becomes empty stays as `[]`. */
export async function editList(path: string, key: string, change: ListChange): Promise<void> {
  const { isSeq, parseDocument } = await import("yaml");
  const document = parseDocument(readTextSync(path) ?? "", { uniqueKeys: true });
  const problem = document.errors[0];
  if (problem)
    throw new AppError("E_CONFIG", `${path}: ${problem.message.split("\n")[0] ?? "invalid YAML"}; nothing was written`);
  refuseNewer(path, document.get("_config_version"));
  const words = key.split(".");
  const list = document.getIn(words);
  if (isSeq(list)) changeItems(list.items, "add" in change ? { add: document.createNode(change.add) } : change);
  else if ("add" in change) document.setIn(words, [change.add]);
  replaceSettings(path, document.toString({ lineWidth: 0 }));
}

function changeItems(items: unknown[], change: ListChange): void {
  if ("add" in change) items.push(change.add);
  else if ("remove" in change) items.splice(change.remove, 1);
  else items.splice(change.move.to, 0, ...items.splice(change.move.from, 1));
}

/** @throws E_CONFIG for a file that a later version of the program has written */
function refuseNewer(path: string, version: unknown): void {
  if (typeof version !== "number" || version <= CONFIG_VERSION) return;
  const known = `this version supports up to ${CONFIG_VERSION}`;
  throw new AppError("E_CONFIG", `${path}: _config_version is ${version}, ${known}; nothing was written`, {
    hint: "use a newer version",
  });
}

interface Doc {
  deleteIn(path: Words): unknown;
  getIn(path: Words): unknown;
}

/** Emptied maps go too. */
function removeKey(document: Doc, words: Words): void {
  document.deleteIn(words);
  for (let depth = words.length - 1; depth > 0; depth--) {
    const parent = document.getIn(words.slice(0, depth));
    const items = typeof parent === "object" && parent !== null && "items" in parent ? parent.items : undefined;
    if (!Array.isArray(items) || items.length > 0) return;
    document.deleteIn(words.slice(0, depth));
  }
}

const REFUSED = /^(PATH|LD_.*|DYLD_.*|IFS|SHELL|HOME|AGENT_HOME)$/;

/** Set or remove one variable of `.env`, line by line; comments stay. */
export function editEnvFile(path: string, name: string, value: string | undefined): void {
  if (REFUSED.test(name) || changesLoading(name))
    throw new AppError("E_INVALID", `${name} cannot be set in .env: it affects how programs are loaded`);
  if (value !== undefined && /[\r\n]/.test(value))
    throw new AppError("E_INVALID", `${name}: the value must be a single line`);
  const names = new RegExp(`^\\s*(?:export\\s+)?${name}\\s*=`);
  const all = (readTextSync(path) ?? "").split("\n");
  const last = all.findLastIndex((line) => names.test(line)); // of several the last one counts
  const line = value === undefined ? [] : [`${name}=${/^[\w./:@+-]*$/.test(value) ? value : quoted(value)}`];
  const lines = all.flatMap((old, at) => (at === last ? line : names.test(old) ? [] : [old]));
  if (last < 0) lines.splice(lines.at(-1) === "" ? lines.length - 1 : lines.length, 0, ...line);
  const text = lines.join("\n");
  replaceSettings(path, text.endsWith("\n") || text === "" ? text : `${text}\n`, 0o600);
}

/** As `readEnvFile` takes it off again: every other sign stands for itself. */
const quoted = (value: string): string => `"${value.replace(/["\\]/g, "\\$&")}"`;
