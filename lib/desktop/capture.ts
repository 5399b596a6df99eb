import { PICTURE_BYTES, type PictureSize, pictureSize } from "../base/fs/picture-facts.js";
import type { DesktopAction, DesktopAnswer, DesktopPlace } from "../contracts/desktop/desktop.js";
import { type DesktopWindow, DriverFailure } from "../contracts/desktop/driver.js";
import type { Subject } from "./last-capture.js";
import { type DesktopParts, look, openWindows } from "./parts.js";
import { type DriverState, readState } from "./read-driver.js";
import { type CaptureFacts, captureJson, captureText } from "./render.js";

type Mode = NonNullable<DesktopAction["mode"]>;

/** Smaller pictures show nothing. */
const LEAST_SIDE = 8;
const ELEMENTS = 100;

interface Taken {
  readonly state: DriverState;
  readonly picture?: Uint8Array | undefined;
}

interface Capturing {
  readonly parts: DesktopParts;
  readonly place: DesktopPlace;
  readonly signal: AbortSignal;
}

/** Look at a window, or at the whole screen, and remember what was seen. @throws DriverFailure */
export async function captureSubject(
  around: Capturing,
  subject: Subject,
  { mode = "som", max_elements: most = ELEMENTS }: Pick<DesktopAction, "mode" | "max_elements">,
): Promise<DesktopAnswer> {
  const { parts, place, signal } = around;
  const { state, picture } = await takeWhole(around, subject, mode);
  const windows = subject.window === undefined ? await openWindows(parts, place, signal) : [];
  const { picture: shown, size } = await fit(parts, state, picture);
  const factor = size.width === 0 ? 1 : state.width / size.width;
  const { window } = subject;
  parts.captures.set(place.session, {
    subject,
    snapshot: state.snapshot,
    shown: size,
    factor,
    elements: state.elements,
    windows,
  });
  const facts: CaptureFacts = {
    mode,
    ...size,
    app: window?.app ?? "",
    title: window?.title ?? "",
    snapshot: state.snapshot,
    elements: state.elements.slice(0, most),
    total: state.elements.length,
  };
  if (shown === undefined) return { ok: true, value: captureJson(facts, factor) };
  const { elements: _, summary: __, ...meta } = captureJson(facts, factor);
  return { ok: true, value: { ok: true, ...meta }, text: captureText(facts), picture: await parts.save(shown) };
}

/** A driver that shows nothing is started again once. An empty picture is never a success. */
async function takeWhole(around: Capturing, subject: Subject, mode: Mode): Promise<Taken> {
  const first = await take(around, subject, mode);
  if (faultOf(first, mode) === undefined) return first;
  await around.parts.drivers.restart(around.place.env);
  const second = await take(around, subject, mode);
  const fault = faultOf(second, mode);
  if (fault === undefined) return second;
  throw new DriverFailure("answered", `${fault}, also after the driver was started again`);
}

function faultOf({ state, picture }: Taken, mode: Mode): string | undefined {
  if (state.width < 1 || state.height < 1) return `the capture is empty (${state.width}x${state.height} px)`;
  if (mode === "ax") return undefined;
  if (picture === undefined) return "the driver sent no picture";
  return pictureSize(picture) === undefined ? "the driver sent a picture that cannot be read" : undefined;
}

async function take({ parts, place, signal }: Capturing, { window }: Subject, mode: Mode): Promise<Taken> {
  const { tools } = await parts.drivers.offers(place.env);
  const whole = window === undefined && (await needsWindow(parts, place));
  const tool = whole ? "screenshot" : "get_window_state";
  const args = {
    ...(whole ? {} : { capture_mode: mode }),
    ...(window === undefined ? {} : { pid: window.pid, window_id: window.window_id }),
    ...(tools.get(tool)?.has("max_side") === true ? { max_side: parts.maxSide() } : {}),
  };
  const { value, picture } = await look(parts, place, [tool, args], signal);
  const size = picture === undefined ? undefined : pictureSize(picture);
  if (!whole) return { state: readState(size === undefined ? value : { ...size, ...value }), picture };
  const elements = toElements(await openWindows(parts, place, signal));
  return { state: { width: size?.width ?? 0, height: size?.height ?? 0, elements }, picture };
}

/** The driver describes single windows only. */
export async function needsWindow({ drivers }: DesktopParts, { env }: DesktopPlace): Promise<boolean> {
  const required = (await drivers.offers(env)).required.get("get_window_state");
  return required?.has("window_id") === true || required?.has("pid") === true;
}

const toElements = (windows: readonly DesktopWindow[]) =>
  windows.map(({ app, title, x, y, width, height }, at) => ({
    index: at + 1,
    role: "window",
    label: title,
    app,
    x,
    y,
    width,
    height,
  }));

interface Fitted {
  readonly picture?: Uint8Array;
  /** Of the picture; without one that of the window. */
  readonly size: PictureSize;
}

async function fit(parts: DesktopParts, state: DriverState, picture: Uint8Array | undefined): Promise<Fitted> {
  const size = picture === undefined ? undefined : pictureSize(picture);
  if (picture === undefined || size === undefined || Math.min(size.width, size.height) < LEAST_SIDE)
    return { size: { width: state.width, height: state.height } };
  const most = parts.maxSide();
  if (Math.max(size.width, size.height) <= most && picture.length <= PICTURE_BYTES) return { picture, size };
  const smaller = await parts.scale?.(picture, most);
  const made = smaller === undefined ? undefined : pictureSize(smaller);
  if (smaller !== undefined && made !== undefined) return { picture: smaller, size: made };
  // Models take no picture of more bytes: the words are what is left.
  return picture.length <= PICTURE_BYTES ? { picture, size } : { size: { width: state.width, height: state.height } };
}
