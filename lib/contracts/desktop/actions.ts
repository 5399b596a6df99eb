/** What `computer_use` does (specification; extensions part, 10.6). */
export const DESKTOP_ACTIONS = [
  "capture",
  "click",
  "double_click",
  "right_click",
  "middle_click",
  "drag",
  "scroll",
  "type",
  "key",
  "wait",
  "list_apps",
  "focus_app",
] as const;

export type DesktopActionName = (typeof DESKTOP_ACTIONS)[number];

/** They change nothing and need no approval. */
export const FREE_ACTIONS: ReadonlySet<string> = new Set<DesktopActionName>(["capture", "wait", "list_apps"]);

/** Keys that are held during a click or a drag. */
export const DESKTOP_MODIFIERS = ["cmd", "shift", "option", "alt", "ctrl", "fn"] as const;

export type Point = readonly [x: number, y: number];
