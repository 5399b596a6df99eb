import { resolve as absolute } from "node:path";
import { AppError } from "../../base/errors.js";
import { realPath } from "../../base/fs/files.js";
import type { BoardSlug } from "../../base/units.js";
import type { BoardRequest, ResolvedBoard } from "../../contracts/board/api.js";
import type { BoardLookup } from "./core.js";
import { noBoard } from "./guarded-store.js";
import { KANBAN } from "./keys.js";
import { currentBoard, isKnownBoard, knownBoards } from "./known.js";
import { storePath } from "./places.js";
import { parseSlug } from "./slug.js";

/** Which board a call uses, in the order of board part 11.2. */
export async function resolveBoard(core: BoardLookup, request: BoardRequest): Promise<ResolvedBoard> {
  if (request.flag !== undefined) return { board: await mustKnow(core, parseSlug(request.flag)), warnings: [] };
  const pinned = await byPin(core, request);
  if (pinned.board !== undefined) return { board: pinned.board, warnings: pinned.warnings };
  const chosen = await byChoice(core, request);
  return { board: chosen.board, warnings: [...pinned.warnings, ...chosen.warnings] };
}

async function mustKnow(core: BoardLookup, slug: BoardSlug): Promise<BoardSlug> {
  if (await isKnownBoard(core, slug)) return slug;
  throw noBoard(slug);
}

interface Pinned {
  readonly board: BoardSlug | undefined;
  readonly warnings: readonly string[];
}

async function byPin(core: BoardLookup, request: BoardRequest): Promise<Pinned> {
  const name = request.env["AGENT_KANBAN_BOARD"];
  const path = request.env["AGENT_KANBAN_DB"];
  if (name) {
    const slug = parseSlug(name);
    if (await isKnownBoard(core, slug)) return { board: slug, warnings: [] };
    return missingPin(request, `AGENT_KANBAN_BOARD: unknown board '${slug}'`);
  }
  if (!path) return { board: undefined, warnings: [] };
  const real = (await realPath(path)) ?? absolute(path);
  const slug = (await boardOfStore(core, absolute(path))) ?? (await boardOfStore(core, real));
  if (slug === undefined) return missingPin(request, `AGENT_KANBAN_DB is not the store of a board: ${path}`);
  return { board: parseSlug(slug), warnings: [] };
}

/** The board whose store lies at `path`; `default` also before it has one. */
async function boardOfStore(core: BoardLookup, path: string): Promise<string | undefined> {
  for (const slug of await knownBoards(core)) {
    const store = storePath(core.home.root, slug);
    if (store === path || (await realPath(store)) === path) return slug;
  }
  return undefined;
}

/** Work must not land on another board unnoticed; looking may. */
function missingPin(request: BoardRequest, message: string): Pinned {
  if (request.writes) throw new AppError("E_BOARD_NOT_FOUND", message);
  return { board: undefined, warnings: [message] };
}

/** `kanban.default_board` of the profile that calls. */
async function configured(core: BoardLookup, { home }: BoardRequest): Promise<string | undefined> {
  if (home === undefined || home === core.home.dir) return core.config.get(KANBAN.defaultBoard);
  return core.defaultBoardOf?.(home);
}

async function byChoice(core: BoardLookup, request: BoardRequest): Promise<ResolvedBoard> {
  for (const slug of [request.session, await configured(core, request)]) {
    if (slug !== undefined && slug !== "" && (await isKnownBoard(core, slug)))
      return { board: parseSlug(slug), warnings: [] };
  }
  const current = await currentBoard(core);
  if (current === undefined || (await isKnownBoard(core, current)))
    return { board: parseSlug(current ?? "default"), warnings: [] };
  return {
    board: parseSlug("default"),
    warnings: [`the current board '${current}' no longer exists; using 'default'`],
  };
}
