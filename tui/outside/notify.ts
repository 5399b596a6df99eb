import type { State } from "../model/state.js";

type Env = Readonly<Record<string, string | undefined>>;

const LONG_TURN_MS = 30_000; // workspace part, 16

/** The notice to a user who looks elsewhere because of a change; `ring`: only the bell. */
type Attention = { readonly text: string } | { readonly ring: true };

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

/** Rings. */
export const BELL = "\x07";
const GONE = /[\p{Cc}\p{Cf}]/gu;

/** How to notify a user who looks elsewhere: in the words of the terminal where it is known to have some, else by the bell. */
export function notification(text: string, env: Env): string {
  const words = text.replace(GONE, " ").slice(0, 200);
  const program = env["TERM_PROGRAM"] ?? "";
  const term = env["TERM"] ?? "";
  if (/^(iTerm\.app|WezTerm|ghostty)$/i.test(program) || /kitty|ghostty/.test(term) || env["KITTY_WINDOW_ID"])
    return through(`\x1b]9;${words.replaceAll(";", ",")}\x07`, env);
  if (/^(rxvt|foot|contour)/.test(term) || env["VTE_VERSION"])
    return through(`\x1b]777;notify;agent;${words.replaceAll(";", ",")}\x07`, env);
  return BELL;
}

/** tmux hands on only what is wrapped; its own bell marks the window as well. */
const through = (sequence: string, env: Env): string =>
  env["TMUX"] ? `\x1bPtmux;${sequence.replaceAll("\x1b", "\x1b\x1b")}\x1b\\${BELL}` : sequence;

/** Sets the terminal's title. */
export const titleSequence = (title: string): string => `\x1b]2;${title.replace(GONE, " ").slice(0, 200)}\x07`;
