import type { DesktopElement, DesktopWindow } from "../../../lib/contracts/desktop/driver.js";
import type {
  DriverBackend,
  Looking,
  MouseClick,
  MouseDrag,
  MouseScroll,
  PointAt,
  WindowRef,
  WindowState,
} from "../driver-backend.js";
import { keysym } from "./keysyms.js";
import { drawNumbers } from "./numbers.js";
import { clip, type Frame, finishPicture, takePicture } from "./picture.js";
import { type X11Parts, xdotool } from "./programs.js";
import { createSpareKeys, piecesOf } from "./spare-keys.js";
import { focusWindow, listWindows, screenSize, windowFacts } from "./windows.js";

const BUTTONS = { left: "1", middle: "2", right: "3" } as const;
const WHEEL = { up: "4", down: "5", left: "6", right: "7" } as const;
const TYPE_DELAY_MS = 12;
/** Where characters have no key of their own: longer than a program takes to look a key up, most of the time. */
const BORROWED_DELAY_MS = 100;

/** The desktop of an X11 display, driven with xdotool, ImageMagick and scrot (extensions part, 10.6). */
export function createX11(parts: X11Parts): DriverBackend {
  const spareKeys = createSpareKeys(parts);
  /** @throws Error when the window is gone */
  const facts = async (id: number, signal: AbortSignal) => {
    const found = await windowFacts(parts, id, signal);
    if (found === undefined) throw new Error("the window is gone; list_apps shows what is open");
    return found;
  };
  /** What is seen of a window, or the screen. */
  const placeOf = async ({ window_id }: WindowRef, signal: AbortSignal): Promise<Place> => {
    const screen = await screenSize(parts, signal);
    if (window_id === undefined) return { frame: { x: 0, y: 0, ...screen } };
    const found = await facts(window_id, signal);
    return { frame: seenOf(found, screen), window: found };
  };
  /** Clicks and keys go to the window that is meant, also when others lie above it. */
  const focus = async ({ window_id }: WindowRef, signal: AbortSignal): Promise<void> => {
    if (window_id !== undefined) await focusWindow(parts, window_id, false, signal);
  };
  const mouse = async (at: PointAt, { after, modifiers = [] }: Mouse, signal: AbortSignal): Promise<void> => {
    await focus(at, signal);
    const place = await placeOf(at, signal);
    const move = moveTo(place, at.x ?? place.frame.width / 2, at.y ?? place.frame.height / 2);
    await holding(parts, modifiers, [...move, ...after(place)], signal);
  };
  return {
    name: "x11",
    windows: (signal) => listWindows(parts, signal),
    state: (window, how, signal) =>
      describe(parts, { window, how, frame: async () => (await placeOf(window, signal)).frame }, signal),
    click: (click: MouseClick, signal) => {
      const { button, count, modifiers } = click;
      const after = () => ["click", "--repeat", String(count), "--delay", "60", BUTTONS[button]];
      return mouse(click, { after, modifiers }, signal);
    },
    drag: ({ from_x, from_y, to_x, to_y, modifiers, ...window }: MouseDrag, signal) => {
      const after = (place: Place) => [
        ["mousedown", "1"],
        moveTo(place, (from_x + to_x) / 2, (from_y + to_y) / 2),
        moveTo(place, to_x, to_y),
        ["mouseup", "1"],
      ];
      return mouse({ ...window, x: from_x, y: from_y }, { after: (place) => after(place).flat(), modifiers }, signal);
    },
    scroll: (scroll: MouseScroll, signal) => {
      const after = () => ["click", "--repeat", String(scroll.amount), "--delay", "20", WHEEL[scroll.direction]];
      return mouse(scroll, { after }, signal);
    },
    type: async (text, window, signal) => {
      await focus(window, signal);
      for (const piece of piecesOf(text)) {
        const delay = (await spareKeys.place(piece.foreign, signal)) ? TYPE_DELAY_MS : BORROWED_DELAY_MS;
        await xdotool(parts, ["type", "--delay", String(delay), "--", piece.text], signal);
      }
    },
    press: async (keys, window, signal) => {
      const combination = keys.map(keysym).join("+");
      await focus(window, signal);
      await xdotool(parts, ["key", "--", combination], signal);
    },
    focus: async ({ window_id }, raise, signal) => {
      if (window_id !== undefined) await focusWindow(parts, window_id, raise, signal);
    },
  };
}

/** What is seen, on the screen, and the window that it is of. */
interface Place {
  readonly frame: Frame;
  readonly window?: Frame & Pick<DesktopWindow, "window_id">;
}

interface Mouse {
  readonly after: (place: Place) => readonly string[];
  readonly modifiers?: readonly string[];
}

/**
 * Words of xdotool that move to a pixel of what is seen. The server does one after the other; `--sync` is left out: it waits for ever where the
 * pointer is there already.
 */
function moveTo({ frame, window }: Place, x: number, y: number): readonly string[] {
  const pixels = (left: number, top: number) => [String(Math.round(left + x)), String(Math.round(top + y))];
  if (window === undefined) return ["mousemove", ...pixels(frame.x, frame.y)];
  return ["mousemove", "--window", String(window.window_id), ...pixels(frame.x - window.x, frame.y - window.y)];
}

/** Keys that are held are let go, also when the action fails. */
async function holding(
  parts: X11Parts,
  modifiers: readonly string[],
  command: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const keys = modifiers.map(keysym);
  const down = keys.flatMap((key) => ["keydown", key]);
  const up = keys.toReversed().flatMap((key) => ["keyup", key]);
  try {
    await xdotool(parts, [...down, ...command, ...up], signal);
  } catch (error) {
    if (up.length > 0) await xdotool(parts, up, new AbortController().signal).catch(() => undefined); // the first failure is the one to tell
    throw error;
  }
}

/** The part of a window that lies on the screen. */
function seenOf({ x, y, width, height }: Frame, screen: Pick<Frame, "width" | "height">): Frame {
  const left = Math.max(0, x);
  const top = Math.max(0, y);
  const right = Math.min(screen.width, x + width);
  const bottom = Math.min(screen.height, y + height);
  if (right <= left || bottom <= top)
    throw new Error("the window lies outside of the screen; focus_app with raise_window may bring it back");
  return { x: left, y: top, width: right - left, height: bottom - top };
}

interface Described {
  readonly window: WindowRef;
  readonly how: Looking;
  readonly frame: () => Promise<Frame>;
}

async function describe(
  parts: X11Parts,
  { window, how, frame: frameOf }: Described,
  signal: AbortSignal,
): Promise<WindowState> {
  const windows = await listWindows(parts, signal);
  const frame = await frameOf();
  const elements = elementsIn(windows, window, frame);
  const { width, height } = frame;
  if (how.mode === "ax") return { width, height, elements };
  const taken = await takePicture(parts, { window: window.window_id, frame }, signal);
  const draw = how.mode === "som" ? drawNumbers(elements) : [];
  return {
    width,
    height,
    elements,
    picture: await finishPicture(parts, taken, { draw, maxSide: how.maxSide }, signal),
  };
}

/** Elements are visible windows: of the whole screen all, of a window it and those of its program that lie over it. */
function elementsIn(
  windows: readonly DesktopWindow[],
  { window_id }: WindowRef,
  frame: Frame,
): readonly DesktopElement[] {
  const own = windows.find((one) => one.window_id === window_id);
  const shown =
    window_id === undefined
      ? windows
      : windows.filter(
          (one) => one.window_id === window_id || (own !== undefined && own.pid !== 0 && one.pid === own.pid),
        );
  const seen = shown.flatMap(
    ({ app, title, x, y, width, height }) =>
      clip({ index: 0, role: "window", label: title, app, x, y, width, height }, frame) ?? [],
  );
  return seen.map((element, at) => ({ ...element, index: at + 1 }));
}
