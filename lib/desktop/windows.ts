import type { DesktopWindow } from "../contracts/desktop/driver.js";
import { shownLabel } from "./render.js";

export type FoundOpenWindow =
  | { readonly ok: true; readonly window: DesktopWindow }
  | { readonly ok: false; readonly error: string };

const OPEN_AT_MOST = 30;

/** The window whose program or title has this text, whatever its case: the same name first, the focused one first. */
export function findOpenWindow(windows: readonly DesktopWindow[], name: string): FoundOpenWindow {
  const wanted = name.trim().toLowerCase();
  const ranks = windows.map((window) => ({ window, rank: rankOf(window, wanted) })).filter(({ rank }) => rank > 0);
  const [best] = ranks.toSorted((a, b) => b.rank - a.rank);
  if (best !== undefined) return { ok: true, window: best.window };
  return { ok: false, error: `no window of an app named '${shownLabel(name)}'; open: ${listWindows(windows)}` };
}

function rankOf({ app, title, focused }: DesktopWindow, wanted: string): number {
  const names = [app.toLowerCase(), title.toLowerCase()];
  if (!names.some((name) => name.includes(wanted))) return 0;
  return 1 + (names[0] === wanted ? 4 : 0) + (names[0]?.includes(wanted) === true ? 2 : 0) + (focused ? 1 : 0);
}

function listWindows(windows: readonly DesktopWindow[]): string {
  if (windows.length === 0) return "no windows";
  const names = windows.slice(0, OPEN_AT_MOST).map(({ app, title }) => {
    const shown = shownLabel(title);
    return shown === "" || shown === app ? shownLabel(app) : `${shownLabel(app)} (${shown})`;
  });
  return `${[...new Set(names)].join(", ")}${windows.length > OPEN_AT_MOST ? ", …" : ""}`;
}

/** Names a window in grants. */
export const windowName = ({ app, window_id }: DesktopWindow): string => `${shownLabel(app)}#${window_id}`;
