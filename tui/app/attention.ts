import type { State } from "../model/state.js";

const LONG_TURN_MS = 30_000; // workspace part, 16

/** The notice to a user who looks elsewhere because of a change; `ring`: only the bell. */
export type Attention = { readonly text: string } | { readonly ring: true };

/** A long turn has ended, or a question opened, and the user may not be looking. */
export function attention(before: State, now: State): Attention | undefined {
  const { display, terminal, session } = now;
  if (before.session === session && before.questions === now.questions) return undefined;
  const since = before.session.turnSince;
  const ended = since !== undefined && session.turnSince === undefined && before.session.id === session.id;
  const asked = now.questions.open.length > before.questions.open.length;
  const worthIt = asked || (ended && now.now - since > LONG_TURN_MS);
  if (worthIt && terminal.focused !== true && display.notify !== "off") {
    const text = `${session.title === "" ? "agent" : `agent: ${session.title}`} ${asked ? "has a question" : "is done"}`;
    return display.notify === "bell" ? { ring: true } : { text };
  }
  return ended && display.bellOnComplete ? { ring: true } : undefined;
}
