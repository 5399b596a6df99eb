import { settlesWithin } from "../../../lib/base/time/settles-within.js";
import { renderFull } from "../../../lib/browser/snapshot/page-file.js";
import type { BrowserAnswer, BrowserCommand, BrowserStep } from "../../../lib/contracts/browser/browser.js";
import type { BrowserSession, PendingDialog } from "../session.js";
import { actOn } from "./act.js";
import { answerPage, shortText, shortUrl, toFailedAnswer, type Value } from "./answer.js";
import { sendCdp } from "./cdp.js";
import { driverText } from "./failure.js";
import { look, writePage } from "./look.js";
import { memoryOf, pageMemoryOf } from "./memory.js";
import { goBack, navigate } from "./navigate.js";
import { listImages, readConsole, takeScreenshot } from "./page-tools.js";
import { settle } from "./settle.js";

/**
 * Run one command on the current page of a session. Called for one command of a session at a time; its caller ends it after its time, and
 * names what has gone. A failure of the page is an answer.
 */
export async function runCommand(
  session: BrowserSession,
  command: BrowserCommand,
  signal: AbortSignal,
): Promise<BrowserAnswer> {
  signal.throwIfAborted();
  pageMemoryOf(memoryOf(session), session.page());
  if (command.do === "dialog") return answerDialog(session, command, signal);
  if (command.do === "cdp") return sendCdp(session, command);
  if (session.dialogs.pending().length > 0) return toFailedAnswer(DIALOG_FIRST, dialogFacts(session));
  const progress: Progress = { done: 0 };
  return untilDialog(session, progress, signal, (until) => runOnPage(session, command, progress, until));
}

/** How far a list of steps has come. */
interface Progress {
  done: number;
}

const DIALOG_FIRST = "a dialog is open and its page stands still: answer it with browser_dialog first";

/** A dialog stops its page: the command answers at once, and ends when the dialog is answered. */
async function untilDialog(
  session: BrowserSession,
  progress: Progress,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<BrowserAnswer>,
): Promise<BrowserAnswer> {
  const control = new AbortController();
  let stop = (): void => undefined;
  const interrupted = new Promise<BrowserAnswer>((resolve, reject) => {
    const off = session.dialogs.onOpen(() => {
      control.abort(new Error("a dialog has opened"));
      const value = { success: true, ...stepFacts(progress), note: DIALOG_FIRST, ...dialogFacts(session) };
      resolve({ value });
    });
    const abort = () => {
      control.abort(signal.reason);
      reject(signal.reason);
    };
    signal.addEventListener("abort", abort, { once: true });
    stop = () => {
      off();
      signal.removeEventListener("abort", abort);
    };
  });
  const working = work(control.signal);
  working.catch(() => undefined); // it is awaited below, unless a dialog or the signal is first
  memoryOf(session).held = working;
  try {
    return await Promise.race([working, interrupted]);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    return toFailedAnswer(driverText(error).split("\n")[0] ?? "the page does not answer");
  } finally {
    stop();
  }
}

const stepFacts = ({ done }: Progress): Value => (done === 0 ? {} : { done });

const dialogFacts = (session: BrowserSession): Value => ({
  pending_dialogs: session.dialogs.pending().slice(0, 3).map(toldDialog),
});

const toldDialog = ({ id, type, message, defaultValue }: PendingDialog): Value => ({
  id,
  type,
  message: shortText(message, 300),
  ...(defaultValue === "" ? {} : { default: shortText(defaultValue, 100) }),
});

async function runOnPage(
  session: BrowserSession,
  command: Exclude<BrowserCommand, { readonly do: "dialog" } | { readonly do: "cdp" }>,
  progress: Progress,
  signal: AbortSignal,
): Promise<BrowserAnswer> {
  switch (command.do) {
    case "navigate":
      return navigate(session, command, signal);
    case "back":
      return goBack(session, signal);
    case "snapshot":
      return command.full ? fullSnapshot(session) : shortSnapshot(session, command, signal);
    case "step":
      return oneStep(session, command.step, signal);
    case "steps":
      return manySteps(session, command.steps, progress, signal);
    case "console":
      return readConsole(session, command);
    case "images":
      return listImages(session);
    default:
      return takeScreenshot(session, command.annotate);
  }
}

const shortSnapshot = (
  session: BrowserSession,
  { find }: Extract<BrowserCommand, { readonly do: "snapshot" }>,
  signal: AbortSignal,
): Promise<BrowserAnswer> => {
  const how = { whole: true, ...(find === undefined ? {} : { find }) };
  return answerPage(session, { success: true, ...frameFacts(session) }, how, signal);
};

/** Characters of a full snapshot (core part, 26.2). */
const FULL_CHARS = 8_000;

async function fullSnapshot(session: BrowserSession): Promise<BrowserAnswer> {
  const seen = await look(session);
  const file = await writePage(session, seen);
  pageMemoryOf(memoryOf(session), seen.page).shown = seen.rows;
  const facts = { success: true, url: shortUrl(seen.url), file, ...frameFacts(session) };
  return { value: { ...facts, element_count: seen.rows.length, snapshot: renderFull(seen.rows, FULL_CHARS, file) } };
}

const FRAMES_SHOWN = 5;

/** Addresses of the frames of a page that has any. */
function frameFacts(session: BrowserSession): Value {
  const frames = session.page().frames().slice(1);
  if (frames.length === 0) return {};
  const shown = frames.slice(0, FRAMES_SHOWN).map((frame) => shortText(frame.url(), 60));
  return { frame_tree: frames.length > FRAMES_SHOWN ? [...shown, `${frames.length - FRAMES_SHOWN} more`] : shown };
}

async function oneStep(session: BrowserSession, step: BrowserStep, signal: AbortSignal): Promise<BrowserAnswer> {
  const outcome = await actOn(session, step, signal);
  if (!outcome.ok) return toFailedAnswer(outcome.error, outcome.facts);
  if ("wait_for" in step) return { value: { success: true, ...outcome.facts } };
  const travelled = "click" in step ? { navigated: false } : {};
  return answerPage(session, { success: true, ...travelled, ...outcome.facts }, { whole: false }, signal);
}

async function manySteps(
  session: BrowserSession,
  steps: readonly BrowserStep[],
  progress: Progress,
  signal: AbortSignal,
): Promise<BrowserAnswer> {
  let facts: Value = {};
  for (const [index, step] of steps.entries()) {
    signal.throwIfAborted();
    const outcome = await actOn(session, step, signal);
    if (!outcome.ok) {
      const failure = { success: false, done: index, failed: index + 1, error: shortText(outcome.error, 600) };
      return answerPage(session, { ...failure, ...outcome.facts }, { whole: false }, signal);
    }
    facts = { ...facts, ...outcome.facts };
    progress.done = index + 1;
  }
  return answerPage(session, { success: true, done: progress.done, ...facts }, { whole: false }, signal);
}

/** What a dialog has interrupted ends within this time, or goes on. */
const HELD_MS = 5_000;

async function answerDialog(
  session: BrowserSession,
  { action, promptText, dialogId }: Extract<BrowserCommand, { readonly do: "dialog" }>,
  signal: AbortSignal,
): Promise<BrowserAnswer> {
  const answered = await session.dialogs.answer({
    accept: action === "accept",
    ...(promptText === undefined ? {} : { text: promptText }),
    ...(dialogId === undefined ? {} : { id: dialogId }),
  });
  if (!answered)
    return toFailedAnswer(
      dialogId === undefined ? "no dialog is open" : `no open dialog ${shortText(dialogId, 40)}`,
      dialogFacts(session),
    );
  const { held } = memoryOf(session);
  return untilDialog(session, { done: 0 }, signal, async (until) => {
    const ended = held?.catch(() => undefined) ?? Promise.resolve(); // it was reported when the dialog opened
    await settlesWithin(session.clock, HELD_MS, ended);
    await settle(session, until);
    return answerPage(session, { success: true }, { whole: false }, until);
  });
}
