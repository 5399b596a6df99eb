import { deleteCards } from "../actions/bulk.js";
import { moveCards } from "../actions/move.js";
import type { BoardDesk } from "../desk.js";
import type { DropPlace } from "./dragging.js";

/** Cards were let go somewhere. */
export async function drop(desk: BoardDesk, ids: readonly string[], over: DropPlace): Promise<void> {
  if (over === "trash") return deleteCards(desk, ids);
  const { cards } = desk.board.state.get();
  if (ids.every((id) => cards.get(id)?.status === over)) return;
  await moveCards(desk, ids, over);
}
