import { REPLAY_PARTS, type Replay } from "../../../lib/contracts/models/model.js";
import type { Row, Value } from "../../store.js";

/** Columns for what providers want back. Only the conversation itself reads them: what others are shown is without. */
export const REPLAY_COLUMNS = REPLAY_PARTS.join(", ");

/** What the columns get, in their order. */
export function replayValues(replay: Replay | undefined): Value[] {
  return REPLAY_PARTS.map((part) => {
    const items = replay?.[part];
    return replay === undefined || items === undefined || items.length === 0
      ? null
      : JSON.stringify({ from: replay.from, items });
  });
}

/** What a row has for its provider; nothing for a row that was read without these columns. */
export function replayOf(row: Row): { replay?: Replay } {
  let replay: Replay | undefined;
  for (const part of REPLAY_PARTS) {
    const text = row[part];
    if (typeof text !== "string") continue;
    const stored = JSON.parse(text) as { from: string; items: Replay[typeof part] }; // `replayValues` wrote it
    replay = { ...replay, from: stored.from, [part]: stored.items };
  }
  return replay === undefined ? {} : { replay };
}
