import type { BoardSlug, SessionId } from "../../base/units.js";
import type { CommandEntry } from "../../commands/entry.js";
import { completeSlash } from "../../commands/slash/complete.js";
import type { Completion } from "../../proto/slash.js";
import type { App } from "../app.js";
import { createFileFinder } from "./files.js";
import { best } from "./fuzzy.js";
import { pathsAt } from "./paths.js";

const MOST = 50; // core part, 1.3
const SESSIONS = 300;
const TASKS = 2_000;

export interface Place {
  readonly cwd: string | undefined;
  readonly session: SessionId | undefined;
}

export interface Completions {
  at(text: string, cursor: number, place: Place): Promise<readonly Completion[]>;
}

/** Commands behind a slash, mentions behind an `@`, paths of a shell line behind `!`. */
export function createCompletions(app: App, entries: readonly CommandEntry[]): Completions {
  const finder = createFileFinder(app.options.clock, app.options.env["HOME"] ?? "");
  const directory = async ({ cwd, session }: Place) =>
    (session === undefined ? undefined : await app.chat.get(session))?.cwd ?? cwd ?? app.options.home.dir;
  return {
    at: async (text, cursor, place) => {
      if (text.startsWith("/")) return completeSlash(text, cursor, entries);
      const line = text.slice(0, cursor);
      if (line.startsWith("!")) return pathsAt(line, await directory(place));
      const word = /(?:^|\s)@(\S*)$/.exec(line)?.[1];
      if (word === undefined) return [];
      const from = line.length - word.length - 1;
      const found = await mentions({ app, finder, word, line, root: () => directory(place) });
      return found.slice(0, MOST).map((one) => ({ ...one, from }));
    },
  };
}

interface Mention {
  readonly app: App;
  readonly finder: ReturnType<typeof createFileFinder>;
  /** Behind the `@`. */
  readonly word: string;
  readonly line: string;
  root(): Promise<string>;
}

async function mentions(given: Mention): Promise<readonly Completion[]> {
  const { app, finder, word, line, root } = given;
  const [, kind, rest = ""] = /^(session|task|file|folder):(.*)$/.exec(word) ?? [];
  if (kind === "session") return sessionsLike(app, rest);
  if (kind === "task") return tasksLike(app, rest);
  if (kind !== undefined) return filesLike(await finder.find(await root()), rest, kind === "folder");
  const profiles = /(?:^|\s)for @\S*$/.test(line) ? await profilesLike(app, word) : [];
  const files = filesLike(await finder.find(await root()), word, false);
  return [...profiles, ...kindsLike(word), ...files];
}

const KINDS: readonly Completion[] = [
  { text: "@session:", label: "@session:", detail: "another conversation", kind: "session" },
  { text: "@task:", label: "@task:", detail: "a task of the board", kind: "task" },
];

const kindsLike = (word: string): readonly Completion[] => (word === "" ? KINDS : KINDS.filter(({ text }) => text.startsWith(`@${word}`)));

/** A name with blanks stands in quotes. */
const quoted = (path: string): string => (/\s/.test(path) ? `"${path}"` : path);

function filesLike(paths: readonly string[], word: string, folders: boolean): readonly Completion[] {
  const wanted = folders ? paths.filter((path) => path.endsWith("/")) : paths;
  return best(wanted, word, (path) => path, MOST).map((path) => ({
    text: `@${path.endsWith("/") ? "folder" : "file"}:${quoted(path)}`,
    label: path,
    detail: path.endsWith("/") ? "directory" : "file",
    kind: path.endsWith("/") ? "directory" : "file",
  }));
}

async function sessionsLike({ chat }: App, word: string): Promise<readonly Completion[]> {
  const rows = await chat.list({ limit: SESSIONS });
  return best(rows, word, ({ id, title, preview }) => `${title ?? preview} ${id}`, MOST).map(({ id, title, preview }) => ({
    text: `@session:${id}`,
    label: title ?? preview,
    detail: id,
    kind: "session",
  }));
}

async function tasksLike({ board }: App, word: string): Promise<readonly Completion[]> {
  const boards = await board.boards();
  const rows = await Promise.all(
    boards.map(({ slug }) => board.list(slug as BoardSlug, { limit: TASKS })), // of boards that were listed
  );
  return best(rows.flat(), word, ({ task }) => `${task.id} ${task.title}`, MOST).map(({ task }) => ({
    text: `@task:${task.id}`,
    label: `${task.id} ${task.title}`,
    detail: task.status,
    kind: "task",
  }));
}

async function profilesLike({ profiles, options }: App, word: string): Promise<readonly Completion[]> {
  const rows = await profiles.list(options.home.profile);
  return rows
    .filter(({ name }) => name.startsWith(word))
    .map(({ name, description }) => ({
      text: `@${name}`,
      label: `@${name}`,
      detail: description === "" ? "profile" : description,
      kind: "profile",
    }));
}
