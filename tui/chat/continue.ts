import type { State, Updated } from "../model/state.js";

/** Enter in the empty composer lets a turn go on that was cut off. */
export function continues(state: State): Updated | undefined {
  const { chat, session } = state;
  if (!chat.cutOff || session.id === undefined || session.turnSince !== undefined || state.connection === "lost")
    return undefined;
  const params = { session_id: session.id, text: "", mode: "continue" };
  return [
    { ...state, chat: { ...chat, cutOff: false, top: undefined } },
    [{ do: "call", method: "turn.submit", params }],
  ];
}
