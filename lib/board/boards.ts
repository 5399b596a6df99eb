import { dirname } from "node:path";
import { getSettings, putSettings, type SettingsRow } from "../../storage/tables/board-settings.js";
import { statusCounts } from "../../storage/tables/board-tasks.js";
import { AppError } from "../base/errors.js";
import { factsOf, listDirectory, makeDirectory, writeAtomic } from "../base/files.js";
import { type BoardSlug, toUnix } from "../base/units.js";
import type { Actor, BoardRecord, Status } from "../proto/board.js";
import type { ListedBoard, NewBoard } from "../proto/board-api.js";
import { type Core, stampOf } from "./core.js";
import { boardDir, currentPath, storePath } from "./places.js";
import { parseSlug } from "./slug.js";

/** Slugs of all boards, `default` first: it always exists, with or without a store. */
export async function knownBoards(core: Core): Promise<ReadonlySet<string>> {
  const dir = dirname(boardDir(core.home.root, "x"));
  if ((await factsOf(dir)) === undefined) return new Set(["default"]);
  const entries = await listDirectory(dir);
  const names = entries.map((entry) => entry.name).filter(isBoardName);
  const found: string[] = [];
  for (const name of names.sort()) if (await hasStore(core, name)) found.push(name);
  return new Set(["default", ...found]);
}

/** `.current` is there before the first checkpoint has its name. */
async function hasStore(core: Core, slug: string): Promise<boolean> {
  const path = storePath(core.home.root, slug);
  return (await factsOf(path)) !== undefined || (await factsOf(`${path}.current`)) !== undefined;
}

/** The board is one of `knownBoards`, without looking at the others. */
export async function isKnown(core: Core, slug: string): Promise<boolean> {
  return slug === "default" || (isBoardName(slug) && (await hasStore(core, slug)));
}

const isBoardName = (name: string): boolean => /^[a-z0-9][a-z0-9_-]{0,63}$/.test(name);

/** Boards that have a store. */
export async function writtenBoards(core: Core): Promise<readonly BoardSlug[]> {
  const known = [...(await knownBoards(core))];
  const made: BoardSlug[] = [];
  for (const slug of known) if (await hasStore(core, slug)) made.push(parseSlug(slug));
  return made;
}

const blank = (slug: string): SettingsRow => ({
  name: slug.replace(/(^|[-_])([a-z0-9])/g, (_all, gap: string, letter: string) => `${gap === "" ? "" : " "}${letter.toUpperCase()}`),
  description: "",
  icon: "",
  color: "",
  default_workdir: "",
  created_at: null,
  orchestration: null,
  max_in_progress: null,
  paused_at: null,
  paused_by: null,
  paused_reason: null,
});

/** Settings in force: the stored ones, or those of a board that has none. */
export async function settingsOf(core: Core, board: BoardSlug): Promise<SettingsRow> {
  const store = await core.reading(board);
  return (store === undefined ? undefined : await store.read(getSettings)) ?? blank(board);
}

export async function listed(core: Core, board: BoardSlug): Promise<ListedBoard> {
  const store = await core.reading(board);
  const counted = store === undefined ? [] : await store.read(statusCounts);
  const counts: Partial<Record<Status, number>> = Object.fromEntries(counted.map((row) => [row.status, row.count]));
  const record: BoardRecord = { slug: board, archived: false, ...(await settingsOf(core, board)) };
  return {
    ...record,
    store: core.places(board).store,
    is_current: ((await currentBoard(core)) ?? "default") === board,
    counts,
    total: counted.reduce((sum, row) => sum + row.count, 0),
  };
}

export async function allListed(core: Core): Promise<readonly ListedBoard[]> {
  const boards: ListedBoard[] = [];
  for (const slug of await knownBoards(core)) boards.push(await listedOrBroken(core, parseSlug(slug)));
  return boards;
}

/** A board whose store cannot be opened is listed with the reason; the others are not held up by it. */
async function listedOrBroken(core: Core, board: BoardSlug): Promise<ListedBoard> {
  try {
    return await listed(core, board);
  } catch (error) {
    if (!(error instanceof AppError && error.code === "E_STORE")) throw error;
    const is_current = ((await currentBoard(core)) ?? "default") === board;
    const record: BoardRecord = { slug: board, archived: false, ...blank(board) };
    return { ...record, store: core.places(board).store, is_current, counts: {}, total: 0, error: error.message };
  }
}

/** Make a board; one that exists is left as it is. */
export async function createBoardRecord(core: Core, params: NewBoard, by: Actor): Promise<{ board: ListedBoard; created: boolean }> {
  const slug = parseSlug(params.slug);
  const created = !(await knownBoards(core)).has(slug);
  if (created) await store(core, slug, params, by);
  if (params.switch === true) await switchTo(core, slug);
  return { board: await listed(core, slug), created };
}

async function store(core: Core, slug: BoardSlug, params: NewBoard, by: Actor): Promise<void> {
  const stamp = stampOf(core, by);
  const { name, description, icon, color, default_workdir } = params;
  const given = Object.fromEntries(
    Object.entries({ name, description, icon, color, default_workdir }).filter(([, value]) => value !== undefined),
  );
  const row: SettingsRow = { ...blank(slug), ...given, created_at: toUnix(stamp.at) };
  const made = await core.making(slug);
  await made.write("board.create-board", async (tx) => {
    await putSettings(tx, row);
    tx.emit({ kind: "board_created", at: stamp.at, actor: stamp.actor, payload: { ...row } });
  });
}

/** Make a board the current one. @throws E_BAD_BOARD, E_BOARD_NOT_FOUND */
export async function switchTo(core: Core, given: string): Promise<BoardSlug> {
  const slug = parseSlug(given);
  if (!(await knownBoards(core)).has(slug)) throw new AppError("E_BOARD_NOT_FOUND", `no board '${slug}'`, { slug });
  const path = currentPath(core.home.root);
  await makeDirectory(dirname(path), 0o700);
  await writeAtomic(path, `${slug}\n`, 0o600);
  return slug;
}

/** Pause or resume claiming on a board; idempotent. */
export async function setPaused(
  core: Core,
  board: BoardSlug,
  pause: { reason: string | null } | undefined,
  by: Actor,
): Promise<ListedBoard> {
  const stamp = stampOf(core, by);
  const made = await core.making(board);
  await made.write("board.pause", async (tx) => {
    const row = (await getSettings(tx)) ?? blank(board);
    if ((row.paused_at !== null) === (pause !== undefined)) return;
    const marks = pause === undefined ? [null, null, null] : [toUnix(stamp.at), stamp.name, pause.reason];
    const [at, who, why] = marks as [number | null, string | null, string | null]; // the two tuples above
    await putSettings(tx, { ...row, paused_at: at, paused_by: who, paused_reason: why });
    const kind = pause === undefined ? "board_resumed" : "board_paused";
    tx.emit({ kind, at: stamp.at, actor: stamp.actor, payload: { paused_at: at, paused_by: who, paused_reason: why } });
  });
  return listed(core, board);
}

/** What stands above a list of tasks. */
export async function banner(core: Core, board: BoardSlug): Promise<{ others: number; paused: boolean; reason: string | null }> {
  const known = await knownBoards(core);
  const { paused_at, paused_reason } = await settingsOf(core, board);
  return { others: known.size - 1, paused: paused_at !== null, reason: paused_reason };
}

/** The board chosen by `boards switch`; undefined when none was. Every call of a board asks, so most often it costs one look at the file. */
export async function currentBoard(core: Core): Promise<string | undefined> {
  return core.current.read();
}
