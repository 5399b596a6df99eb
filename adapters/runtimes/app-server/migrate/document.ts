import { TomlError, type TomlTable } from "smol-toml";
import { isRecord } from "../../../../lib/base/json/record.js";
import { CALLBACK_SERVER } from "../../../../lib/contracts/runtimes/callback-wire.js";
import {
  parseToml,
  type Statement,
  sameMeaning,
  statementsOf,
  stringText,
  type TableValues,
  tableText,
} from "./toml-text.js";

/** The managed block of the app-server's settings: what is in it, and what of it is not ours (extensions part, 8.10). */

const BEGIN = "# >>> agent managed";
const END = "# <<< agent managed";
const HINT = "# Written by /vendor-runtime. Put keys of your own above this block, and tables of your own below it.";
/** Names of what was written, so that what the program adds between our tables is not taken for ours. */
const WROTE = "# wrote: ";

const PERMISSIONS = "default_permissions";
const WORKSPACE = ":workspace";

/** What the block should hold. */
export interface Wanted {
  /** Tables of servers by name, in order; the callback server comes first. */
  readonly servers: ReadonlyMap<string, TableValues>;
  /** Keys of the tables above that are ours whether they are written or not: others in them were added by the program, and stay. */
  readonly ownKeys: ReadonlySet<string>;
  /** Ids of plugins. Undefined: they could not be listed, and those of the block stay. */
  readonly plugins: readonly string[] | undefined;
}

export interface Rewritten {
  readonly text: string;
  /** False: the text means already what it should, and is left as it is. */
  readonly changed: boolean;
  /** Servers that the user wrote outside of the block. */
  readonly conflicts: readonly string[];
}

/** Settings of the program that cannot be changed; the message is for people. */
export class SettingsTomlError extends Error {}

/**
 * A text of settings with the managed block as it should be. Everything outside of the block keeps its bytes; what is in the block and is not ours is
 * moved out of it.
 *
 * @throws SettingsTomlError
 */
export function rewriteBlock(text: string, wanted: Wanted): Rewritten {
  read(text);
  const parts = splitBlock(text, [...wanted.servers.keys()]);
  const old = read(parts.block);
  const user = place(parts);
  const outside = read(user.head + user.tail);
  const conflicts = [...wanted.servers.keys()].filter((name) => isServer(tableAt(outside, "mcp_servers", name)));
  const block = blockText({ wanted, old, outside, conflicts });
  const next = `${user.head}${block}${user.tail}`;
  try {
    parseToml(next);
  } catch (error) {
    const what = error instanceof TomlError ? `line ${error.line}: ${firstLine(error)}` : String(error);
    throw new SettingsTomlError(`the managed block does not fit into the rest of the file (${what})`);
  }
  const same = parts.whole && sameRecord(parts.block, block) && sameMeaning(text, next);
  return { text: same ? text : next, changed: !same, conflicts };
}

function read(text: string): TomlTable {
  try {
    return parseToml(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw new SettingsTomlError(`invalid TOML in line ${error.line}: ${firstLine(error)}`);
  }
}

const firstLine = ({ message }: Error): string =>
  (message.split("\n")[0] ?? "").replace(/^Invalid TOML document: /, "");

/** Only tools in it: the program or the user said something of a server that is described elsewhere. */
const isServer = (table: TomlTable | undefined): boolean =>
  table !== undefined && Object.keys(table).some((key) => key !== "tools");

function tableAt(from: TomlTable, ...path: readonly string[]): TomlTable | undefined {
  let at: unknown = from;
  for (const name of path) at = isRecord(at) ? at[name] : undefined;
  return isRecord(at) ? (at as TomlTable) : undefined; // a record of a parsed text
}

interface Parts {
  readonly before: string;
  readonly block: string;
  readonly after: string;
  /** Both of its lines are there. */
  readonly whole: boolean;
  readonly isOurs: IsOurs;
}

/** Whether a table belongs to the block, by its path. */
type IsOurs = (path: readonly string[]) => boolean;

/**
 * Cut the text at the block. The program writes its settings again when one of its servers changes, and drops a line of the block where it stood before
 * such a server; then the block is known by its tables.
 */
function splitBlock(text: string, names: readonly string[]): Parts {
  const all = statementsOf(text);
  const begins = all.filter((one) => isLine(text, one, BEGIN));
  const ends = all.filter((one) => isLine(text, one, END));
  const [begin, ...moreBegins] = begins;
  const [end, ...moreEnds] = ends;
  const extra = [...moreBegins, ...moreEnds][0];
  if (extra !== undefined)
    throw new SettingsTomlError(`two managed blocks; remove one of them (line ${lineOf(text, extra.start)})`);
  if (begin !== undefined && end !== undefined && end.start < begin.start)
    throw new SettingsTomlError(
      `the managed block ends (line ${lineOf(text, end.start)}) before it begins; remove both lines`,
    );
  const wrote = recordOf(text, all);
  const mine = new Set(wrote ?? (begin === undefined && end === undefined ? [CALLBACK_SERVER] : names));
  const isOurs: IsOurs = ([table, name = ""]) =>
    (table === "mcp_servers" && mine.has(name)) || (table === "plugins" && name !== "");
  const start =
    begin ??
    all.find((one) => one.kind === "comment" && one !== end && isOurComment(text.slice(one.start, one.end))) ??
    all.find(({ kind, path }) => kind === "header" && path[1] === CALLBACK_SERVER && isOurs(path));
  if (start === undefined && end === undefined) return { before: text, block: "", after: "", whole: false, isOurs };
  if (start === undefined || (end !== undefined && end.start < start.start))
    throw new SettingsTomlError(
      `the first line of the managed block is missing; remove its last one (line ${lineOf(text, end?.start ?? 0)})`,
    );
  const stop = end?.end ?? endOfOurs(all, start, isOurs);
  return {
    before: text.slice(0, start.start),
    block: text.slice(start.start, stop),
    after: text.slice(stop),
    whole: begin !== undefined && end !== undefined,
    isOurs,
  };
}

const isLine = (text: string, { kind, start, end }: Statement, line: string): boolean =>
  kind === "comment" && text.slice(start, end).trim() === line;

const lineOf = (text: string, at: number): number => text.slice(0, at).split("\n").length;

/** Behind the last of the tables from `start` on that are ours. */
function endOfOurs(all: readonly Statement[], start: Statement, isOurs: IsOurs): number {
  let stop = start.end;
  let table = start.kind === "header" ? start.path : undefined;
  for (const { kind, path, end } of all.slice(all.indexOf(start) + 1)) {
    if (kind === "comment") continue;
    if (kind === "header" ? !isOurs(path) : table === undefined && path[0] !== PERMISSIONS) break;
    if (kind === "header") table = path;
    stop = end;
  }
  return stop;
}

/** The names that the block says it was written with. */
function recordOf(text: string, all: readonly Statement[]): readonly string[] | undefined {
  const line = all
    .filter(({ kind }) => kind === "comment")
    .map(({ start, end }) => text.slice(start, end).trim())
    .find((comment) => comment.startsWith(WROTE));
  if (line === undefined) return undefined;
  try {
    const { wrote } = parseToml(`wrote = [${line.slice(WROTE.length)}]`);
    return Array.isArray(wrote) ? wrote.map(String) : undefined;
  } catch {
    return undefined; // ok to lose: a user changed the line, which is as if it were missing
  }
}

const sameRecord = (a: string, b: string): boolean =>
  JSON.stringify(recordOf(a, statementsOf(a))) === JSON.stringify(recordOf(b, statementsOf(b)));

/** The user's part around the place of the block, which is before the first header; with what stood in the block and is not ours. */
function place({ before, block, after, isOurs }: Parts): { readonly head: string; readonly tail: string } {
  const foreign = foreignOf(block, isOurs);
  const rest = before + after;
  const at = isInPlace(before, after) ? before.length : placeIn(rest);
  return { head: withLineEnd(rest.slice(0, at)) + foreign.keys, tail: foreign.tables + rest.slice(at) };
}

/** No table is above it, and no key of the root below it. */
function isInPlace(before: string, after: string): boolean {
  const below = statementsOf(after).find(({ kind }) => kind !== "comment");
  return below?.kind !== "key" && !hasHeader(before);
}

const hasHeader = (text: string): boolean => statementsOf(text).some(({ kind }) => kind === "header");

/** Above the first header, and above the comments that stand right above it. */
function placeIn(text: string): number {
  const all = statementsOf(text);
  let first = all.findIndex(({ kind }) => kind === "header");
  if (first < 0) return text.length;
  while (all[first - 1]?.kind === "comment" && all[first - 1]?.end === all[first]?.start) first -= 1;
  return all[first]?.start ?? text.length;
}

const withLineEnd = (text: string): string => (/(^\uFEFF?|\n)$/.test(text) ? text : `${text}\n`);

/** What stands in the block and is not ours: keys of the root, and tables. */
function foreignOf(block: string, isOurs: IsOurs): { readonly keys: string; readonly tables: string } {
  let keys = "";
  let tables = "";
  let table: readonly string[] | undefined;
  let comments = "";
  for (const { kind, start, end, path } of statementsOf(block)) {
    const text = block.slice(start, end);
    if (kind === "comment") {
      if (!isOurComment(text)) comments += text;
      continue;
    }
    if (kind === "header") table = path;
    if (table === undefined) {
      if (!isOurPermission(text)) keys += comments + withLineEnd(text);
    } else if (!isOurs(table)) {
      tables += `${kind === "header" ? "\n" : ""}${comments}${withLineEnd(text)}`;
    }
    comments = "";
  }
  return { keys, tables: tables === "" ? "" : `${tables}\n` };
}

const isOurComment = (text: string): boolean => {
  const line = text.trim();
  return line === BEGIN || line === END || line === HINT || line.startsWith(WROTE);
};

/** Another value was given by the user. */
const isOurPermission = (text: string): boolean => parseToml(text)[PERMISSIONS] === WORKSPACE;

interface Making {
  readonly wanted: Wanted;
  readonly old: TomlTable;
  readonly outside: TomlTable;
  readonly conflicts: readonly string[];
}

function blockText({ wanted, old, outside, conflicts }: Making): string {
  const servers = [...wanted.servers].filter(([name]) => !conflicts.includes(name));
  const listed = wanted.plugins ?? Object.keys(tableAt(old, "plugins") ?? {});
  const plugins = listed.filter((id) => tableAt(outside, "plugins", id) === undefined);
  const rooted = PERMISSIONS in outside || "sandbox_mode" in outside;
  const tables = [
    ...servers.flatMap(([name, values]) => {
      const was = tableAt(old, "mcp_servers", name) ?? {};
      const added = Object.entries(was).filter(([key]) => key !== "tools" && !wanted.ownKeys.has(key));
      const path = ["mcp_servers", name];
      return [tableText(path, { ...values, ...Object.fromEntries(added) }), ...toolTables(path, was, outside)];
    }),
    ...plugins.map((id) => tableText(["plugins", id], { enabled: true, ...tableAt(old, "plugins", id) })),
  ];
  const names = [...servers.map(([name]) => name), ...plugins].map(stringText).join(", ");
  const root = rooted ? "" : `${PERMISSIONS} = ${stringText(WORKSPACE)}\n`;
  const pieces = [`${BEGIN}\n${HINT}\n${WROTE}${names}\n${root}`, ...tables];
  return `${pieces.join("\n")}${END}\n`;
}

/** Answers that the program has stored for tools of a server. */
function toolTables(path: readonly string[], was: TomlTable, outside: TomlTable): readonly string[] {
  return Object.entries(tableAt(was, "tools") ?? {}).flatMap(([tool, values]) => {
    const told = [...path, "tools", tool];
    return isRecord(values) && tableAt(outside, ...told) === undefined ? [tableText(told, values as TableValues)] : []; // of a parsed text
  });
}
