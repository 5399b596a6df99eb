import type { SeenRow } from "../draw/viewport.js";
import type { State } from "../model/state.js";
import { GROUP } from "./entries.js";
import type { ChatItem } from "./state.js";

const HEAD_ROWS = 3; // of a message: a blank row, who speaks, its first line

/** The question whose answer is read; undefined: it is in view itself. @param top the uppermost row of the conversation that is seen */
export function pinnedQuestion(
  state: State,
  top: SeenRow | undefined,
): Extract<ChatItem, { kind: "user" }> | undefined {
  if (top === undefined) return undefined;
  const { items } = state.chat;
  const at = placeOfKey(state, top.at.key);
  const question = items.findLast((item, place) => place <= at && item.kind === "user" && item.news !== true);
  if (question?.kind !== "user") return undefined;
  const isSeen = question === items[at] && top.at.part === 0 && top.at.row < HEAD_ROWS;
  return isSeen ? undefined : question;
}

/** Place of the item that an entry is of: behind all of them for what grows at this moment. */
function placeOfKey({ chat }: State, key: string): number {
  const own = chat.items.findIndex((item) => item.key === key || `${GROUP}${item.key}` === key);
  return own < 0 ? chat.items.length : own;
}
