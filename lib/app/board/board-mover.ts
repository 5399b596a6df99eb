import { layOutHome } from "../../base/home.js";
import type { BoardMover } from "../../board/core/deps.js";
import { KANBAN } from "../../board/core/keys.js";
import type { Dispatcher } from "../../board/dispatcher/dispatcher.js";
import { readDottedPath, readSettingsFile } from "../../config/read-settings.js";
import type { Stores } from "../stores/stores.js";

/** What boards need of this owner to be moved. */
export const createBoardMover = (stores: Stores, dispatcher: () => Dispatcher): BoardMover => ({
  closed: (board, work) => stores.boardClosed(board, work),
  openAt: (path) => stores.boardAt(path),
  started: (board) => dispatcher().started(board),
});

/** The board that the settings of a profile name, read again each time: they are not this home's. */
export async function defaultBoardOf(home: string): Promise<string | undefined> {
  const read = await readSettingsFile(layOutHome(home).config);
  const named = read.ok ? readDottedPath(read.settings, KANBAN.defaultBoard.key) : undefined;
  return typeof named === "string" ? named : undefined;
}
