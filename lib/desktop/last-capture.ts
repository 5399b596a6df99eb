import type { SessionId } from "../base/units.js";
import type { Point } from "../contracts/desktop/actions.js";
import type { DesktopElement, DesktopWindow } from "../contracts/desktop/driver.js";

/** What a conversation works on: a window, or the whole screen. */
export type Subject = { readonly window: DesktopWindow } | { readonly window?: undefined };

/** The last picture that a conversation has seen, and where the driver knows it from. */
export interface LastCapture {
  readonly subject: Subject;
  readonly snapshot?: string | number | undefined;
  /** Size of the picture that was shown; absent: none was since the window changed. */
  readonly shown?: { readonly width: number; readonly height: number };
  /** Pixels of the driver for one of the shown picture. */
  readonly factor: number;
  /** Places are in pixels of the driver. */
  readonly elements: readonly DesktopElement[];
  /** Windows of the whole screen, for what lies where. */
  readonly windows: readonly DesktopWindow[];
}

/** Conversations whose last capture is kept; the one that was used longest ago is forgotten. */
const SESSIONS_AT_MOST = 256;

export interface LastCaptures {
  of(session: SessionId): LastCapture | undefined;
  set(session: SessionId, capture: LastCapture): void;
  forget(session: SessionId): void;
}

export function createLastCaptures(): LastCaptures {
  const kept = new Map<SessionId, LastCapture>();
  return {
    of: (session) => kept.get(session),
    set: (session, capture) => {
      kept.delete(session);
      kept.set(session, capture);
      const [oldest] = kept.keys();
      if (kept.size > SESSIONS_AT_MOST && oldest !== undefined) kept.delete(oldest);
    },
    forget: (session) => {
      kept.delete(session);
    },
  };
}

/** The place in the driver's pixels, or why it is unknown. */
export type FoundPlace =
  | { readonly ok: true; readonly at: Point; readonly element?: DesktopElement }
  | { readonly ok: false; readonly error: string };

const CAPTURE_FIRST = "nothing was captured in this conversation yet; call capture first";

/** An element of the last capture, by its number. */
export function placeOfElement(last: LastCapture | undefined, index: number): FoundPlace {
  if (last?.shown === undefined) return { ok: false, error: CAPTURE_FIRST };
  const element = last.elements.find((one) => one.index === index);
  if (element === undefined) {
    const known = last.elements.length;
    const range = known === 0 ? "it has none; use coordinate" : `it has ${known}`;
    return { ok: false, error: `the last capture has no element ${index} (${range})` };
  }
  const at: Point = [Math.round(element.x + element.width / 2), Math.round(element.y + element.height / 2)];
  return { ok: true, at, element };
}

/** A pixel of the last picture. */
export function placeOfPoint(last: LastCapture | undefined, [x, y]: Point): FoundPlace {
  if (last?.shown === undefined) return { ok: false, error: CAPTURE_FIRST };
  const { width, height } = last.shown;
  if (x < 0 || y < 0 || x >= width || y >= height)
    return { ok: false, error: `[${x}, ${y}] is outside of the last capture, which is ${width}x${height} px` };
  return { ok: true, at: [Math.round(x * last.factor), Math.round(y * last.factor)] };
}

/** Windows of the whole screen that the place lies in. */
export const windowsAt = (windows: readonly DesktopWindow[], [x, y]: Point): readonly DesktopWindow[] =>
  windows.filter((one) => x >= one.x && y >= one.y && x < one.x + one.width && y < one.y + one.height);
