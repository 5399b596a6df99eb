import { getSettings, putSettings, type SettingsRow } from "../../../storage/tables/board/settings.js";
import { AppError } from "../../base/errors.js";
import type { BoardSlug } from "../../base/units.js";
import type { Actor } from "../../contracts/board/board.js";
import type { BoardChanges, ListedBoard } from "../../contracts/board/boards.js";
import { defaultBoardSettings } from "../core/blank.js";
import { type Core, toStamp } from "../core/core.js";
import { listBoard } from "./listing.js";

/** Longest texts of the settings, in characters. */
const LONGEST = { name: 100, description: 2000, icon: 16, color: 32, default_workdir: 4096 } as const;

/** @throws E_INVALID for a text that is too long, or a cap that is not a whole number of at least 1 */
export function checkBoardSettings(changes: BoardChanges): void {
  for (const [key, longest] of Object.entries(LONGEST) as [keyof typeof LONGEST, number][]) {
    const text = changes[key] ?? "";
    if ([...text].length > longest)
      throw new AppError("E_INVALID", `${key} exceeds ${longest} characters`, { field: key });
    if (/[\u0000-\u001f\u007f]/.test(text) && key !== "description")
      throw new AppError("E_INVALID", `${key} contains a control character`, { field: key });
  }
  const cap = changes.max_in_progress;
  if (cap != null && (!Number.isSafeInteger(cap) || cap < 1))
    throw new AppError("E_INVALID", `max_in_progress must be a whole number of at least 1, not ${cap}`, {
      field: "max_in_progress",
    });
}

/** Change settings of a board; nothing is written when they are so already. */
export async function setBoard(
  core: Core,
  board: BoardSlug,
  changes: BoardChanges,
  by: Actor,
): Promise<{ board: ListedBoard; changed: readonly string[] }> {
  checkBoardSettings(changes);
  const given = Object.fromEntries(
    Object.entries(changes).filter(([, value]) => value !== undefined),
  ) as Partial<SettingsRow>; // keys of BoardChanges are columns
  if (given.name === "") Object.assign(given, { name: defaultBoardSettings(board).name });
  const stamp = toStamp(core, by);
  const store = await core.making(board);
  const changed = await store.write("board.set", async (tx) => {
    const row = (await getSettings(tx)) ?? defaultBoardSettings(board);
    const payload = Object.fromEntries(Object.entries(given).filter(([key, value]) => Reflect.get(row, key) !== value));
    const keys = Object.keys(payload);
    if (keys.length === 0) return keys;
    await putSettings(tx, { ...row, ...payload });
    tx.emit({ kind: "board_updated", at: stamp.at, actor: stamp.actor, payload });
    return keys;
  });
  return { board: await listBoard(core, board), changed };
}
