import { join } from "node:path";
import * as z from "zod";
import { defineMethod, type Methods } from "../../backplane/methods.js";
import { toAppError } from "../../base/errors.js";
import { readTextSync, replaceTextFile } from "../../base/fs/text-file.js";
import type { BoardSlug, SessionId } from "../../base/units.js";
import { STATUSES } from "../../contracts/board/board.js";
import type { SlimCard } from "../../contracts/board/screen.js";
import type { PaletteItems } from "../../contracts/ui/palette.js";
import type { OwnerServices } from "../commands/owner-services.js";

const SESSIONS = 1_000;
const TASKS_PER_BOARD = 10_000;
const PAGE = 1_000;
const FILES = 200;
const RECENT = 10;
/** A provider that does not answer must not keep the others from being shown. */
const MODELS_MS = 1_500;

const session_id = z
  .string()
  .min(1)
  .transform((text) => text as SessionId); // absent: without its files
const nothing = z.object({});

/** What the palette of a front end searches in (workspace part, 7.1). One answer for a whole opening: each key is then matched in the front end. */
export function paletteMethods(app: OwnerServices): Methods {
  const recent = createRecent(app.options.home.cache);
  return new Map([
    [
      "palette.items",
      defineMethod({
        params: z.object({ session_id: session_id.optional() }),
        access: "read",
        run: async ({ session_id: session }) => items(app, session, recent.read()),
      }),
    ],
    ["palette.models", defineMethod({ params: nothing, access: "read", run: async () => modelsOf(app) })],
    [
      "palette.used",
      defineMethod({
        params: z.object({ key: z.string().min(1).max(300) }),
        access: "write",
        repeat: () => "safe", // used twice is used
        run: async ({ key }) => recent.use(key),
      }),
    ],
  ]);
}

async function items(
  app: OwnerServices,
  session: SessionId | undefined,
  recent: readonly string[],
): Promise<PaletteItems> {
  const [sessions, tasks, files] = await Promise.all([
    app.chat.list({ limit: SESSIONS }),
    told(app, "boards", () => tasksOf(app), []),
    session === undefined ? [] : told(app, "files", () => filesOf(app, session), []),
  ]);
  return {
    // Those of workers stand there as their tasks.
    sessions: sessions
      .filter(({ source }) => source !== "worker")
      .map(({ id, title, preview, cwd }) => ({ id, title: title ?? preview, cwd })),
    tasks,
    files,
    settings: app.settings.list().map(({ key, value, help }) => ({
      key,
      value: typeof value === "string" ? value : (JSON.stringify(value) ?? ""),
      help,
    })),
    recent,
  };
}

/** A part that can not be had leaves the others as they are. */
async function told<T>(app: OwnerServices, what: string, look: () => Promise<T>, without: T): Promise<T> {
  try {
    return await look();
  } catch (error) {
    app.options.log.warning("the palette is incomplete", { what, error: toAppError(error).message });
    return without;
  }
}

async function tasksOf({ board }: OwnerServices): Promise<PaletteItems["tasks"]> {
  const tasks: PaletteItems["tasks"][number][] = [];
  for (const { slug } of await board.boards()) {
    const known = slug as BoardSlug; // of a board that was listed
    for (const { id, title, status, assignee } of await cardsOf(board, known))
      tasks.push({ board: slug, id, title, status, assignee: assignee ?? "" });
  }
  return tasks;
}

/** In pages: the owner does other things between them. */
async function cardsOf(board: OwnerServices["board"], slug: BoardSlug): Promise<readonly SlimCard[]> {
  const { cards, counts } = await board.cards(slug, { limit: PAGE });
  const all = cards.filter(({ status }) => status !== "archived");
  for (const status of STATUSES) {
    let page = all.filter((card) => card.status === status);
    let seen = page.length;
    while (status !== "archived" && page.length > 0 && seen < counts[status] && all.length < TASKS_PER_BOARD) {
      page = [...(await board.cards(slug, { status, after: page.at(-1), limit: PAGE })).cards];
      all.push(...page);
      seen += page.length;
    }
  }
  return all;
}

/** Paths that tool calls of the conversation have named, the last ones first. */
async function filesOf({ chat }: OwnerServices, session: SessionId): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const message of [...(await chat.messages(session, { limit: 200 }))].reverse()) {
    for (const call of [...(message.toolCalls ?? [])].reverse())
      for (const path of pathsIn(call.arguments)) found.add(path);
    if (found.size >= FILES) break;
  }
  return [...found].slice(0, FILES);
}

function pathsIn(given: string): readonly string[] {
  try {
    const args: unknown = JSON.parse(given);
    if (typeof args !== "object" || args === null) return [];
    return Object.entries(args).flatMap(([name, value]) =>
      /^(?:path|file|file_path)$/.test(name) && typeof value === "string" ? [value] : [],
    );
  } catch {
    return []; // what a model wrote need not be JSON
  }
}

async function modelsOf({
  modelsApi,
  options,
}: OwnerServices): Promise<readonly { readonly provider: string; readonly model: string }[]> {
  let cancel: () => void = () => undefined;
  const late = new Promise<readonly never[]>((resolve) => {
    cancel = options.clock.after(MODELS_MS, () => resolve([]));
  });
  try {
    const offered = await Promise.race([modelsApi.offered(false), late]);
    return offered.flatMap(({ provider, models }) => models.map((model) => ({ provider, model })));
  } finally {
    cancel();
  }
}

/** The last things that were chosen, newest first. They are a convenience: a file that can not be read is none. */
function createRecent(cache: string): { read(): readonly string[]; use(key: string): { recent: readonly string[] } } {
  const path = join(cache, "palette.json");
  const read = (): readonly string[] => {
    try {
      const stored: unknown = JSON.parse(readTextSync(path) ?? "[]");
      return Array.isArray(stored)
        ? stored.filter((one): one is string => typeof one === "string").slice(0, RECENT)
        : [];
    } catch {
      return []; // it is only a convenience
    }
  };
  return {
    read,
    use: (key) => {
      const recent = [key, ...read().filter((one) => one !== key)].slice(0, RECENT);
      replaceTextFile(path, JSON.stringify(recent), 0o600);
      return { recent };
    },
  };
}
