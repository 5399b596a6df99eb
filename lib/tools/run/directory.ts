import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { type Once, once } from "../../base/async/lazy.js";
import { readEntryKindSync } from "../../base/fs/bounded-file.js";
import { type Simple, UNKNOWN } from "../../safety/options/command-line.js";
import { isWithin, realTarget, userHomeOf } from "../../safety/paths/paths.js";
import { readCommandLine } from "../../safety/shell/open.js";
import type { AnyTool, ToolContext } from "../core/define.js";
import { effectsOf, pathsIn } from "../core/effects.js";
import { DIRECTORY_KINDS } from "./names.js";
import { readFirstContext } from "./project.js";
import { type ContextAnswer, type ContextFile, type ContextNotice, FLAGGED_NOTE } from "./read.js";

const ANCESTORS_AT_MOST = 5;
const CHARS_AT_MOST = 8_000;
/** Words of one command line that are looked at. */
const WORDS_AT_MOST = 64;

const RECORD = "directory_context";

export interface DirectoryContext {
  /** Outermost directory first. */
  readonly files: readonly ContextFile[];
  readonly notices: readonly ContextNotice[];
}

/** Directories that this conversation has looked at, and those whose text it was given, also before it was resumed. */
interface Looked {
  readonly dirs: Set<string>;
  readonly told: Once<Set<string>>;
}

/** Paths that a call names: what its tool says it touches, its working directory, and words of its command. Ask before it runs: it may move. */
export function touchedPaths(tool: AnyTool, params: unknown, ctx: ToolContext): readonly string[] {
  const { reads, writes } = effectsOf(tool, params, ctx);
  const named = pathsIn([...reads, ...writes]);
  const { workdir, command } = fieldsOf(params);
  const start = workdir === undefined ? ctx.state.cwd : resolve(ctx.state.cwd, workdir);
  const words = command === undefined ? [] : commandPaths(command, start, ctx);
  return [...named, ...(workdir === undefined ? [] : [start]), ...words];
}

function fieldsOf(params: unknown): { workdir?: string; command?: string } {
  if (typeof params !== "object" || params === null) return {};
  const text = (name: string) => {
    const value: unknown = Reflect.get(params, name);
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const workdir = text("workdir");
  const command = text("command");
  return { ...(workdir === undefined ? {} : { workdir }), ...(command === undefined ? {} : { command }) };
}

function commandPaths(command: string, cwd: string, ctx: ToolContext): readonly string[] {
  const parsed = readCommandLine(command, { cwd, userHome: userHomeOf(ctx.env), agentHome: ctx.home.dir });
  return parsed.commands.flatMap(wordPaths).slice(0, WORDS_AT_MOST);
}

/** Every word that could name a file, the value of an option and the program itself too; what is nothing on disk is found out later. */
function wordPaths({ words, redirects, cwd }: Simple): readonly string[] {
  const texts = [...words, ...redirects.map((one) => one.target)].flatMap(({ text }) =>
    text.startsWith("-") ? (text.split("=", 2)[1] ?? []) : text,
  );
  return texts.flatMap((text) => {
    if (text === "" || text.includes(UNKNOWN) || text.length > 4_096) return [];
    return isAbsolute(text) ? [resolve(text)] : cwd === undefined ? [] : [resolve(cwd, text)];
  });
}

/** Standing instructions of the directories below the launch directory that a call touches, each directory once in a session (core part, 7.6). */
export async function directoryContext(
  paths: readonly string[],
  ctx: ToolContext,
): Promise<DirectoryContext | undefined> {
  const looked = ctx.state.entry<Looked & { close?(): Promise<void> }>(RECORD, () => ({
    dirs: new Set(),
    told: once(async () => toldBefore(await ctx.state.load(RECORD))),
  }));
  const launch = realTarget(ctx.state.launchDir) ?? ctx.state.launchDir;
  const fresh = [...new Set(paths.flatMap((path) => directoriesOf(path, [launch, ctx.state.launchDir], looked.dirs)))];
  const answers = [...new Set(fresh.flatMap((dir) => inside(dir, launch)))]
    .toSorted()
    .map((dir) => ({ dir, answer: lookIn(dir, launch, ctx) }));
  const found = answers.filter(({ answer }) => answer.file !== undefined);
  const known = found.length === 0 ? new Set<string>() : await remember(found, looked, ctx);
  const files = found.flatMap(({ dir, answer }) => (known.has(dir) || answer.file === undefined ? [] : [answer.file]));
  const notices = answers.filter(({ dir }) => !known.has(dir)).flatMap(({ answer }) => answer.notices);
  return files.length === 0 && notices.length === 0 ? undefined : { files, notices };
}

/** The directory of a path and its ancestors inside the launch directory that were not looked at yet; they count as looked at now. */
function directoriesOf(path: string, launches: readonly string[], looked: Set<string>): readonly string[] {
  if (!launches.some((launch) => path !== launch && isWithin(path, launch))) return [];
  // The path itself may be a file, or nothing yet; then its directory is the first.
  const first = readEntryKindSync(path) === "directory" ? path : dirname(path);
  const dirs: string[] = [];
  for (
    let dir = first, above = 0;
    above <= ANCESTORS_AT_MOST && !launches.includes(dir);
    dir = dirname(dir), above += 1
  ) {
    if (looked.has(dir) || readEntryKindSync(dir) === "absent") continue;
    looked.add(dir);
    dirs.push(dir);
  }
  return dirs;
}

/** Where a directory really is, if that is inside the launch directory. */
function inside(dir: string, launch: string): readonly string[] {
  const real = realTarget(dir);
  return real !== undefined && real !== launch && isWithin(real, launch) && readEntryKindSync(real) === "directory"
    ? [real]
    : [];
}

function lookIn(dir: string, launch: string, ctx: ToolContext): ContextAnswer {
  const reading = {
    scope: { home: ctx.home, userHome: userHomeOf(ctx.env), project: launch, env: ctx.env },
    cap: CHARS_AT_MOST,
    redact: ctx.redact,
  };
  const notices: ContextNotice[] = [];
  for (const kind of DIRECTORY_KINDS) {
    const answer = readFirstContext(kind, { dir, shown: (name) => join(relative(launch, dir), name) }, reading);
    notices.push(...answer.notices);
    if (answer.file !== undefined) return { file: answer.file, notices };
  }
  return { notices };
}

/** Note whose text is given now. @returns directories whose text was given before, by calls of an earlier process */
async function remember(
  found: readonly { readonly dir: string }[],
  looked: Looked,
  ctx: ToolContext,
): Promise<ReadonlySet<string>> {
  const told = await looked.told();
  const known = new Set(found.flatMap(({ dir }) => (told.has(dir) ? [dir] : [])));
  if (known.size === found.length) return known;
  for (const { dir } of found) told.add(dir);
  await ctx.state.save(RECORD, JSON.stringify([...told]));
  return known;
}

function toldBefore(json: string | undefined): Set<string> {
  const value: unknown = json === undefined ? [] : JSON.parse(json);
  return new Set(Array.isArray(value) ? value.filter((one) => typeof one === "string") : []);
}

/** The result of a call with the instructions in it: a member of a JSON object, else paragraphs behind the text. */
export function withDirectoryContext(content: string, files: readonly ContextFile[]): string {
  if (files.length === 0) return content;
  const shown = files.map(({ file, text, flagged }) => ({
    file,
    text,
    ...(flagged.length === 0 ? {} : { flagged, note: FLAGGED_NOTE }),
  }));
  const object = objectOf(content);
  if (object !== undefined)
    return JSON.stringify({ ...object, _directory_context: shown.length === 1 ? shown[0] : shown });
  const paragraphs = shown.map(
    ({ file, text, note }) => `[Directory context: ${file}]\n${note === undefined ? "" : `${note}\n`}${text}`,
  );
  return [content, ...paragraphs].join("\n\n");
}

function objectOf(content: string): Record<string, unknown> | undefined {
  if (!content.startsWith("{")) return undefined;
  try {
    return JSON.parse(content) as Record<string, unknown>; // JSON text that begins with a brace is an object
  } catch {
    return undefined; // plain text that happens to begin with a brace
  }
}
