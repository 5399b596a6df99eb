import { dirname } from "node:path";
import { getSettings, putSettings, type SettingsRow } from "../../../storage/tables/board/settings.js";
import { makeDirectory, writeAtomic } from "../../base/fs/files.js";
import { type BoardSlug, toUnix } from "../../base/units.js";
import type { Actor } from "../../contracts/board/board.js";
import type { ListedBoard, NewBoard } from "../../contracts/board/boards.js";
import { defaultBoardSettings } from "../core/blank.js";
import { type Core, toStamp } from "../core/core.js";
import { noBoard } from "../core/guarded-store.js";
import { isKnownBoard } from "../core/known.js";
import { currentPath } from "../core/places.js";
import { parseSlug } from "../core/slug.js";
import { listBoard } from "./listing.js";
import { checkBoardSettings } from "./settings.js";

/** Make a board; one that exists is left as it is. */
export async function createBoardRecord(
  core: Core,
  params: NewBoard,
  by: Actor,
): Promise<{ board: ListedBoard; created: boolean }> {
  const slug = parseSlug(params.slug);
  checkBoardSettings(params);
  const created = await core.lanes.take(`board ${slug}`, async () => {
    if (await isKnownBoard(core, slug)) return false;
    await found(core, slug, params, by);
    return true;
  });
  if (params.switch === true) await switchTo(core, slug);
  return { board: await listBoard(core, slug), created };
}

async function found(core: Core, slug: BoardSlug, params: NewBoard, by: Actor): Promise<void> {
  const stamp = toStamp(core, by);
  const { name, description, icon, color, default_workdir } = params;
  const given = Object.fromEntries(
    Object.entries({ name, description, icon, color, default_workdir }).filter(([, value]) => value !== undefined),
  );
  if (given["name"] === "") delete given["name"];
  const row: SettingsRow = { ...defaultBoardSettings(slug), ...given, created_at: toUnix(stamp.at) };
  const made = await core.founding(slug);
  await made.write("board.create-board", async (tx) => {
    await putSettings(tx, row);
    tx.emit({ kind: "board_created", at: stamp.at, actor: stamp.actor, payload: { ...row } });
  });
}

/** Make a board the current one. @throws E_BAD_BOARD, E_BOARD_NOT_FOUND */
export async function switchTo(core: Core, given: string): Promise<BoardSlug> {
  const slug = parseSlug(given);
  if (!(await isKnownBoard(core, slug))) throw noBoard(slug);
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
  const stamp = toStamp(core, by);
  const made = await core.making(board);
  await made.write("board.pause", async (tx) => {
    const row = (await getSettings(tx)) ?? defaultBoardSettings(board);
    if ((row.paused_at !== null) === (pause !== undefined)) return;
    const marks = pause === undefined ? [null, null, null] : [toUnix(stamp.at), stamp.name, pause.reason];
    const [at, who, why] = marks as [number | null, string | null, string | null]; // the two tuples above
    await putSettings(tx, { ...row, paused_at: at, paused_by: who, paused_reason: why });
    const kind = pause === undefined ? "board_resumed" : "board_paused";
    tx.emit({ kind, at: stamp.at, actor: stamp.actor, payload: { paused_at: at, paused_by: who, paused_reason: why } });
  });
  return listBoard(core, board);
}
