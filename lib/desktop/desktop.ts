import { AppError } from "../base/errors.js";
import type { DesktopAction, DesktopAnswer, DesktopApi, DesktopPlace } from "../contracts/desktop/desktop.js";
import { DriverFailure } from "../contracts/desktop/driver.js";
import { type Aimed, aim, toAim } from "./aim.js";
import { captureSubject } from "./capture.js";
import type { Subject } from "./last-capture.js";
import { type DesktopParts, look } from "./parts.js";
import { perform } from "./perform.js";
import { shownLabel } from "./render.js";

/** The desktop of a process: `computer_use` of all its conversations. */
export function createDesktop(parts: DesktopParts): DesktopApi {
  return {
    aim: async (place, action, signal) => {
      try {
        return toAim(await aim({ parts, place, signal }, action));
      } catch (error) {
        return { ok: false, error: failureText(error, signal) };
      }
    },
    act: async (place, action, signal) => {
      try {
        return await act({ parts, place, signal }, action);
      } catch (error) {
        return failed(action, failureText(error, signal));
      }
    },
    release: async (session) => parts.captures.forget(session),
  };
}

const failed = ({ action }: DesktopAction, error: string): DesktopAnswer => ({ ok: false, value: { error, action } });

/** A failure is a result; anything else is a defect, or the user's interrupt. */
function failureText(error: unknown, signal: AbortSignal): string {
  if (signal.aborted || !(error instanceof DriverFailure || error instanceof AppError)) throw error;
  return error.message;
}

interface Acting {
  readonly parts: DesktopParts;
  readonly place: DesktopPlace;
  readonly signal: AbortSignal;
}

async function act(around: Acting, action: DesktopAction): Promise<DesktopAnswer> {
  const { parts, place, signal } = around;
  const result = await aim(around, action);
  if (!result.ok) return failed(action, result.error);
  const { aimed } = result;
  const done = { ok: true, action: action.action };
  switch (action.action) {
    case "capture":
      return captureSubject(around, aimed.subject, action);
    case "wait":
      await parts.clock.sleep(Math.round((action.seconds ?? 0) * 1000), signal);
      return { ok: true, value: { ...done, message: `waited ${action.seconds ?? 0} s` } };
    case "list_apps": {
      const { value } = await look(parts, place, ["list_apps", {}], signal);
      return { ok: true, value: { ...done, apps: value["apps"] ?? [] } };
    }
    default:
      await perform(around, action, aimed);
      return withCapture(around, action, aimed);
  }
}

async function withCapture(around: Acting, action: DesktopAction, { subject, target }: Aimed): Promise<DesktopAnswer> {
  if (action.action === "focus_app") moveTo(around, subject);
  const done = { ok: true, action: action.action, message: shownLabel(target.summary) };
  if (action.capture_after !== true) return { ok: true, value: done };
  try {
    const seen = await captureSubject(around, subject, {});
    const shown = seen.text === undefined ? seen.value : { text_summary: seen.text };
    return {
      ok: true,
      value: { ...done, capture: shown },
      ...(seen.picture === undefined ? {} : { picture: seen.picture }),
    };
  } catch (error) {
    // The action was done: what failed is the look at it.
    return { ok: true, value: { ...done, capture: { error: failureText(error, around.signal) } } };
  }
}

/** Keys and text go to the window that has been given the focus; its elements are not known before the next capture. */
function moveTo({ parts, place }: Acting, subject: Subject): void {
  const last = parts.captures.of(place.session);
  if (last?.subject.window?.window_id === subject.window?.window_id && last?.shown !== undefined) return;
  parts.captures.set(place.session, { subject, factor: 1, elements: [], windows: [] });
}
