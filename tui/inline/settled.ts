import type { State } from "../model/state.js";

/** The conversation is there, and a line can be given to it. */
export const isReady = ({ session, chat, inline, connection }: State): boolean =>
  session.id !== undefined && !chat.loading && inline?.tools !== undefined && connection === "connected";

/** What was counted before a line was given. */
export interface Before {
  readonly turns: number;
  readonly commands: number;
}

export const countOf = ({ inline, chat }: State): Before => ({ turns: inline?.turns ?? 0, commands: chat.commands });

/** The owner did not take a message; it is still here. */
export const isRefused = (state: State): boolean =>
  isReady(state) && state.queue.local.length > 0 && !state.queue.sending;

/** What a line began is over, or waits for an answer: the next line may come. */
export function isSettled(state: State, before: Before): boolean {
  if (isRefused(state)) return true;
  const { queue, session, chat, inline } = state;
  const waits = queue.local.length > 0 || queue.sending || (queue.waiting.length > 0 && !queue.paused);
  if (waits || session.turnSince !== undefined || !isReady(state)) return false;
  const open = chat.items.some((item) => item.kind === "command" && item.answer === undefined);
  return chat.commands > before.commands ? !open && chat.following === undefined : (inline?.turns ?? 0) > before.turns;
}
