import { seen } from "../draw/viewport.js";
import type { Code } from "../grammar/code.js";
import { layoutOf } from "../layout/layout.js";
import type { State } from "../model/state.js";
import { chatEntries } from "./entries.js";
import { chatRoom } from "./move.js";

/** Code in finished blocks of the conversation that is on the screen, from top to bottom. */
export function findVisibleCode(state: State): readonly Code[] {
  if (!layoutOf(state).panes.some(({ pane }) => pane === "chat")) return [];
  const entries = new Map(chatEntries(state).map((entry) => [entry.key, entry]));
  const { rows } = seen([...entries.values()], state.chat.top, chatRoom(state));
  const parts = new Set(rows.map(({ at }) => entries.get(at.key)?.part(at.part)));
  return [...parts].flatMap((part) => part?.code ?? []);
}
