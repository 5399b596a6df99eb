import type { Frame } from "playwright-core";
import type { BrowserSession } from "../session.js";
import { shortText } from "./answer.js";
import type { StepOutcome } from "./step-outcome.js";

/** Less than the time of a command, so that a wait in vain is an answer. */
const LONGEST_MS = 20_000;
const POLL_MS = 150;
const ANSWER_MS = 1_000;

interface Wait {
  readonly text?: string;
  readonly gone?: string;
  readonly seconds?: number;
}

/** Wait until a text is shown or gone, or for a time. What it answers is one line. */
export async function waitFor(
  session: BrowserSession,
  { text, gone, seconds }: Wait,
  signal: AbortSignal,
): Promise<StepOutcome> {
  const most = seconds === undefined ? LONGEST_MS : Math.min(LONGEST_MS, Math.max(0, seconds * 1000));
  const wanted = text ?? gone;
  if (wanted === undefined) {
    await session.clock.sleep(most, signal);
    return { ok: true, facts: { waited: `${most / 1000} s` } };
  }
  const shown = text !== undefined;
  const told = `'${shortText(wanted, 80)}' ${shown ? "is shown" : "is gone"}`;
  const until = session.clock.mono() + most;
  for (;;) {
    if ((await isShown(session, wanted)) === shown) return { ok: true, facts: { waited: told } };
    if (session.clock.mono() >= until) break;
    await session.clock.sleep(POLL_MS, signal);
  }
  const error = `waited ${most / 1000} s: '${shortText(wanted, 80)}' is ${shown ? "not shown" : "still shown"}`;
  return { ok: false, error, facts: {} };
}

async function isShown(session: BrowserSession, text: string): Promise<boolean> {
  const looks = session
    .page()
    .frames()
    .map((frame) => isShownIn(frame, text));
  return (await Promise.all(looks)).includes(true);
}

async function isShownIn(frame: Frame, text: string): Promise<boolean> {
  try {
    return await frame.getByText(text).first().isVisible({ timeout: ANSWER_MS });
  } catch {
    return false; // the frame has gone, or goes to another document just now
  }
}
