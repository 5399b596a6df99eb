import type { Point } from "../contracts/desktop/actions.js";
import type { DesktopAction, DesktopAim, DesktopPlace, DesktopTarget } from "../contracts/desktop/desktop.js";
import type { DesktopElement, DesktopWindow } from "../contracts/desktop/driver.js";
import { needsWindow } from "./capture.js";
import {
  type FoundPlace,
  type LastCapture,
  placeOfElement,
  placeOfPoint,
  type Subject,
  windowsAt,
} from "./last-capture.js";
import { type DesktopParts, openWindows } from "./parts.js";
import { shownLabel } from "./render.js";
import { findOpenWindow, windowName } from "./windows.js";

/** Where an action goes, in the driver's pixels. */
export interface Aimed {
  readonly subject: Subject;
  readonly at?: FoundPoint;
  /** Of a drag. */
  readonly to?: FoundPoint;
  readonly target: DesktopTarget;
}

type FoundPoint = Extract<FoundPlace, { ok: true }>;

export type AimResult = { readonly ok: true; readonly aimed: Aimed } | { readonly ok: false; readonly error: string };

interface Aiming {
  readonly parts: DesktopParts;
  readonly place: DesktopPlace;
  readonly signal: AbortSignal;
}

/** Find the window and the places of an action. Changes nothing. @throws DriverFailure */
export async function aim(around: Aiming, action: DesktopAction): Promise<AimResult> {
  switch (action.action) {
    case "wait":
    case "list_apps":
      return found({ subject: {}, target: targetOf(action, {}, []) });
    case "capture":
    case "focus_app":
      return aimAtWindow(around, action);
    default:
      return aimAtLast(around, action);
  }
}

const found = (aimed: Aimed): AimResult => ({ ok: true, aimed });

async function aimAtWindow(around: Aiming, action: DesktopAction): Promise<AimResult> {
  const { parts, place, signal } = around;
  const windows = await openWindows(parts, place, signal);
  if (action.app !== undefined) {
    const named = findOpenWindow(windows, action.app);
    if (!named.ok) return named;
    const subject = { window: named.window };
    return found({ subject, target: targetOf(action, subject, [named.window]) });
  }
  if (await needsWindow(parts, place)) {
    const window = windows.find(({ focused }) => focused) ?? windows[0];
    if (window !== undefined) return found({ subject: { window }, target: targetOf(action, { window }, [window]) });
  }
  return found({ subject: {}, target: targetOf(action, {}, windows) });
}

/** Actions go to what the conversation has seen last; keys and text without a capture to what has the focus. */
async function aimAtLast({ parts, place, signal }: Aiming, action: DesktopAction): Promise<AimResult> {
  const last = parts.captures.of(place.session);
  const at = placeOf(last, action.element ?? action.from_element, action.coordinate ?? action.from_coordinate);
  const to = placeOf(last, action.to_element, action.to_coordinate);
  for (const one of [at, to]) if (one?.ok === false) return one;
  const subject = last?.subject ?? {};
  const touched =
    subject.window === undefined
      ? await touchedOnScreen({ parts, place, signal }, [at, to].filter(isFound))
      : [subject.window];
  return found({
    subject,
    ...(at?.ok === true ? { at } : {}),
    ...(to?.ok === true ? { to } : {}),
    target: targetOf(action, subject, touched, at?.ok === true ? at.element : undefined),
  });
}

const isFound = (place: FoundPlace | undefined): place is FoundPoint => place?.ok === true;

function placeOf(
  last: LastCapture | undefined,
  element: number | undefined,
  point: Point | undefined,
): FoundPlace | undefined {
  if (element !== undefined) return placeOfElement(last, element);
  return point === undefined ? undefined : placeOfPoint(last, point);
}

/** Windows may have moved since they were seen. Those below others count, too: the order is not known. */
async function touchedOnScreen(around: Aiming, points: readonly FoundPoint[]): Promise<readonly DesktopWindow[]> {
  const windows = await openWindows(around.parts, around.place, around.signal);
  if (points.length > 0) return [...new Set(points.flatMap(({ at }) => windowsAt(windows, at)))];
  const focused = windows.filter((one) => one.focused);
  return focused.length > 0 ? focused : windows;
}

function targetOf(
  action: DesktopAction,
  { window }: Subject,
  touched: readonly DesktopWindow[],
  element?: DesktopElement,
): DesktopTarget {
  const where =
    window === undefined ? "on the screen" : `in ${shownLabel(window.app)} ${JSON.stringify(shownLabel(window.title))}`;
  const what = detailOf(action, element);
  return {
    apps: [...new Set(touched.map(({ app }) => shownLabel(app)))],
    window: window === undefined ? "screen" : windowName(window),
    summary: `${action.action}${what === "" ? "" : ` ${what}`} ${where}`,
  };
}

/** What a person has to see before it happens: the whole text, the keys, the place. */
function detailOf(action: DesktopAction, element: DesktopElement | undefined): string {
  const words: string[] = [];
  if (action.modifiers !== undefined && action.modifiers.length > 0) words.push(`${action.modifiers.join("+")} +`);
  if (action.button !== undefined && action.button !== "left") words.push(`${action.button} button`);
  if (action.direction !== undefined) words.push(`${action.direction} ${action.amount ?? 3}`);
  if (action.keys !== undefined) words.push(JSON.stringify(action.keys));
  if (action.text !== undefined) words.push(JSON.stringify(action.text));
  const from = placeText(action.element ?? action.from_element, action.coordinate ?? action.from_coordinate, element);
  const to = placeText(action.to_element, action.to_coordinate, undefined);
  if (from !== "") words.push(to === "" ? `at ${from}` : `from ${from} to ${to}`);
  if (action.seconds !== undefined) words.push(`${action.seconds} s`);
  return words.join(" ");
}

function placeText(index: number | undefined, point: Point | undefined, element: DesktopElement | undefined): string {
  if (index !== undefined)
    return element === undefined
      ? `#${index}`
      : `#${index} ${shownLabel(element.role)} ${JSON.stringify(shownLabel(element.label))}`;
  return point === undefined ? "" : `(${point[0]}, ${point[1]})`;
}

export const toAim = (result: AimResult): DesktopAim =>
  result.ok ? { ok: true, target: result.aimed.target } : result;
