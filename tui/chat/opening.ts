import { type RowOf, wrap } from "../draw/canvas.js";
import { SPIN_MS } from "../draw/glyphs.js";
import { THEME } from "../draw/theme.js";
import type { State } from "../model/state.js";
import type { OpeningMessage } from "./messages.js";
import type { Opening } from "./state.js";

/** How long nothing is said: most are there at once. */
const QUIET_MS = 150; // workspace part, 9

/** Nothing of the conversation is there yet. */
export const isOpening = ({ session }: State): boolean => session.id === undefined;

export const opening = (now: number, { messages = 0, failed = "" }: OpeningMessage): Opening => ({
  messages,
  failed,
  since: now,
});

/** What stands in the pane until then. */
export function openingRows({ chat, now }: State, width: number): readonly RowOf[] {
  const { messages, since, failed } = chat.opening;
  if (failed !== "") {
    const lines = ["Failed to open the session.", failed]
      .flatMap((line) => wrap(line, width))
      .map((line): RowOf => [[THEME.error, line]]);
    return [...lines, [[THEME.dim, "r retries"]]];
  }
  if (messages === 0) return [[[THEME.dim, "Opening a session…"]]];
  return now - since < QUIET_MS ? [] : [[[THEME.dim, `loading ${messages.toLocaleString("en-US")} messages…`]]];
}

/** Milliseconds until time alone changes that. */
export function openingRest(state: State): number | undefined {
  const { messages, since } = state.chat.opening;
  const left = QUIET_MS - (state.now - since);
  return isOpening(state) && messages > 0 && left > 0 ? Math.max(left, SPIN_MS) : undefined;
}
