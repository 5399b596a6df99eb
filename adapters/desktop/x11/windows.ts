import { readText } from "../../../lib/base/fs/files.js";
import type { PictureSize } from "../../../lib/base/fs/picture-facts.js";
import { programOnPath } from "../../../lib/base/process/program-path.js";
import type { DesktopWindow } from "../../../lib/contracts/desktop/driver.js";
import { runProgram, type X11Parts, xdotool } from "./programs.js";

/** Windows that one look takes. */
const WINDOWS_AT_MOST = 64;

export async function screenSize(parts: X11Parts, signal: AbortSignal): Promise<PictureSize> {
  const [width = 0, height = 0] = (await xdotool(parts, ["getdisplaygeometry"], signal))
    .trim()
    .split(/\s+/)
    .map(Number);
  return { width, height };
}

/** Visible windows that have a name, as xdotool finds them. */
export async function listWindows(parts: X11Parts, signal: AbortSignal): Promise<readonly DesktopWindow[]> {
  const ran = await runProgram(parts, ["xdotool", "search", "--onlyvisible", "--name", "."], signal);
  const ids = [
    ...new Set(
      ran.out
        .toString("utf8")
        .split(/\s+/)
        .filter((id) => /^\d+$/.test(id)),
    ),
  ];
  // It also ends with 1 without one: its size shows whether the display answers.
  if (ids.length === 0) {
    await screenSize(parts, signal);
    return [];
  }
  const focused = await focusedWindow(parts, signal);
  const windows: DesktopWindow[] = [];
  for (const id of ids.slice(0, WINDOWS_AT_MOST)) {
    const window = await windowFacts(parts, Number(id), signal);
    if (window !== undefined) windows.push({ ...window, focused: window.window_id === focused });
  }
  return windows;
}

/** Undefined: it is gone. */
export async function windowFacts(
  parts: X11Parts,
  id: number,
  signal: AbortSignal,
): Promise<Omit<DesktopWindow, "focused"> | undefined> {
  const facts = await runProgram(
    parts,
    ["xdotool", "getwindowgeometry", "--shell", String(id), "getwindowname", String(id)],
    signal,
  );
  if (facts.code !== 0) return undefined;
  const lines = facts.out.toString("utf8").split("\n");
  const numberOf = (name: string): number =>
    Number(lines.find((line) => line.startsWith(`${name}=`))?.slice(name.length + 1) ?? 0);
  const size = { width: numberOf("WIDTH"), height: numberOf("HEIGHT") };
  if (size.width < 1 || size.height < 1) return undefined;
  const title = lines
    .filter((line) => !/^(WINDOW|X|Y|WIDTH|HEIGHT|SCREEN)=-?\d+$/.test(line))
    .join(" ")
    .trim();
  // A program that does not tell its process has no pid.
  const told = await runProgram(parts, ["xdotool", "getwindowpid", String(id)], signal);
  const pid = told.code === 0 ? Number(told.out.toString("utf8").trim()) || 0 : 0;
  const name = pid === 0 ? undefined : await readText(`/proc/${pid}/comm`);
  const app = name?.trim() ?? "";
  const origin = await originOf(parts, id, { x: numberOf("X"), y: numberOf("Y") }, signal);
  return { pid, window_id: id, app: app === "" ? title : app, title, ...origin, ...size };
}

/** Where a window lies. xdotool counts the border that window managers draw twice, so xwininfo is asked where it is there. */
async function originOf(
  parts: X11Parts,
  id: number,
  told: { readonly x: number; readonly y: number },
  signal: AbortSignal,
): Promise<{ readonly x: number; readonly y: number }> {
  if (programOnPath("xwininfo", parts.env["PATH"]) === undefined) return told;
  const ran = await runProgram(parts, ["xwininfo", "-id", String(id)], signal);
  const text = ran.out.toString("utf8");
  const numberOf = (axis: string): number | undefined => {
    const found = new RegExp(`Absolute upper-left ${axis}:\\s*(-?\\d+)`).exec(text)?.[1];
    return found === undefined ? undefined : Number(found);
  };
  return { x: numberOf("X") ?? told.x, y: numberOf("Y") ?? told.y };
}

/** What has the focus; without a window manager that is what the server says. */
async function focusedWindow(parts: X11Parts, signal: AbortSignal): Promise<number | undefined> {
  for (const command of ["getactivewindow", "getwindowfocus"]) {
    const ran = await runProgram(parts, ["xdotool", command], signal);
    const id = Number(ran.out.toString("utf8").trim());
    if (ran.code === 0 && id > 1) return id;
  }
  return undefined;
}

/** xdotool waits for a window manager; one that does not do what it is asked is not waited for. */
const ACTIVATE_MS = 3_000;

/** Give a window the focus, unless it has it. */
export async function focusWindow(parts: X11Parts, id: number, raise: boolean, signal: AbortSignal): Promise<void> {
  if (!raise && (await focusedWindow(parts, signal)) === id) return;
  if (await activate(parts, id, signal)) return;
  const calls = [...(raise ? ["windowraise", String(id)] : []), "windowfocus", "--sync", String(id)];
  await xdotool(parts, calls, signal, ACTIVATE_MS);
}

/** False: no window manager does it. */
async function activate(parts: X11Parts, id: number, signal: AbortSignal): Promise<boolean> {
  try {
    const ran = await runProgram(parts, ["xdotool", "windowactivate", "--sync", String(id)], signal, {
      ms: ACTIVATE_MS,
    });
    return ran.code === 0 && !/not support|claims not/i.test(ran.err);
  } catch (error) {
    if (signal.aborted) throw error;
    return false; // the focus is set without it
  }
}
