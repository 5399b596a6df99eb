import type { BoardSlug, SessionId } from "../../base/units.js";
import type { MentionEntry, MentionSources } from "../../chat/mentions/define.js";
import { MENTIONS } from "../../chat/mentions/kinds/index.gen.js";
import type { CommandEntry } from "../../commands/entry.js";
import { completeSlash } from "../../commands/slash/complete.js";
import { listRuntimeCommands } from "../../commands/slash/runtime-commands.js";
import type { Completion } from "../../contracts/chat/slash.js";
import type { OwnerServices } from "../commands/owner-services.js";
import { createFileFinder } from "./file-finder.js";
import { best } from "./fuzzy-match.js";
import { pathsAt } from "./shell-paths.js";

const MOST = 50; // core part, 1.3
const SESSIONS = 300;
const TASKS = 2_000;

export interface CompletionPlace {
  readonly cwd: string | undefined;
  readonly session: SessionId | undefined;
}

/** What is looked at for it. */
export type Completed = Pick<OwnerServices, "chat" | "board" | "profiles" | "options" | "runtime" | "mcp">;

export interface Completions {
  at(text: string, cursor: number, place: CompletionPlace): Promise<readonly Completion[]>;
}

/** Commands behind a slash, mentions behind an `@`, paths of a shell line behind `!`. */
export function createCompletions(app: Completed, entries: readonly CommandEntry[]): Completions {
  const finder = createFileFinder(app.options.clock, app.options.env["HOME"] ?? "");
  const directory = async ({ cwd, session }: CompletionPlace) =>
    (session === undefined ? undefined : await app.chat.get(session))?.cwd ?? cwd ?? app.options.home.dir;
  return {
    at: async (text, cursor, place) => {
      if (text.startsWith("/")) {
        const { config } = app.options;
        const servers = mcpServersAt(app, text.slice(0, cursor));
        if (servers !== undefined) return servers;
        const { cwd = app.options.home.dir } = place;
        const runtime = listRuntimeCommands({ config, runtime: app.runtime }, entries, { cwd });
        return completeSlash(text, cursor, entries, runtime);
      }
      const line = text.slice(0, cursor);
      if (line.startsWith("!")) return pathsAt(line, await directory(place));
      const word = /(?:^|\s)@([a-z]+:"[^"]*|\S*)$/.exec(line)?.[1];
      if (word === undefined) return [];
      const from = line.length - word.length - 1;
      const found = await mentions({ app, finder, word, line, root: () => directory(place) });
      return found.slice(0, MOST).map((one) => ({ ...one, from }));
    },
  };
}

/** Names of MCP servers behind a command that takes one; from memory. Undefined: it is another place. */
function mcpServersAt({ mcp }: Completed, line: string): readonly Completion[] | undefined {
  const word = /^\/mcp +(?:status|tools|test|enable|disable|reconnect) +(\S*)$/.exec(line)?.[1];
  if (word === undefined || word.startsWith("-")) return undefined;
  return mcp
    .list()
    .filter(({ name }) => name.startsWith(word))
    .slice(0, MOST)
    .map(({ name, state }) => ({
      text: name,
      label: name,
      detail: state,
      kind: "value",
      from: line.length - word.length,
    }));
}

interface Mention {
  readonly app: Completed;
  readonly finder: ReturnType<typeof createFileFinder>;
  /** Behind the `@`. */
  readonly word: string;
  readonly line: string;
  root(): Promise<string>;
}

async function mentions(given: Mention): Promise<readonly Completion[]> {
  const { app, finder, word, line, root } = given;
  const sources = sourcesOf(app, async () => finder.find(await root()));
  const [, name, rest = ""] = /^([a-z]+):"?(.*)$/.exec(word) ?? [];
  const entry = MENTIONS.find((one) => one.name === name);
  if (entry !== undefined) return offered(entry, rest, sources);
  const profiles = /(?:^|\s)for @\S*$/.test(line) ? await profilesLike(app, word) : [];
  return [...profiles, ...kindsLike(word), ...(await pathsLike(sources, word))];
}

/** Files and directories by letters alone. */
async function pathsLike(sources: MentionSources, word: string): Promise<readonly Completion[]> {
  return best(await sources.paths(), word, (path) => path, MOST).map((path) => {
    const kind = path.endsWith("/") ? "directory" : "file";
    const name = /\s/.test(path) ? `"${path}"` : path;
    return { text: `@${kind === "file" ? "file" : "folder"}:${name}`, label: path, detail: kind, kind };
  });
}

async function offered(
  { name, load }: MentionEntry,
  word: string,
  sources: MentionSources,
): Promise<readonly Completion[]> {
  const rows = (await (await load()).offers?.(sources)) ?? [];
  return best(rows, word, ({ match }) => match, MOST).map((one) => ({
    text: `@${name}:${one.name}`,
    label: one.label,
    detail: one.detail,
    kind: one.kind,
  }));
}

function kindsLike(word: string): readonly Completion[] {
  return MENTIONS.filter(({ name }) => name.startsWith(word)).map(({ name, form, detail }) => {
    const text = form === "alone" ? `@${name}` : `@${name}:`;
    return { text, label: text, detail, kind: "mention" };
  });
}

const sourcesOf = ({ chat, board }: Completed, paths: MentionSources["paths"]): MentionSources => ({
  paths,
  sessions: () => chat.list({ limit: SESSIONS }),
  tasks: async () => {
    const boards = await board.boards();
    const rows = await Promise.all(
      boards.map(({ slug }) => board.list(slug as BoardSlug, { limit: TASKS })), // of boards that were listed
    );
    return rows.flat().map(({ task }) => task);
  },
});

async function profilesLike({ profiles, options }: Completed, word: string): Promise<readonly Completion[]> {
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
