/** The desktop as the tool `computer_use` reaches it (extensions part, 10.6). */
import type { SessionId } from "../../base/units.js";
import type { DesktopActionName, Point } from "./actions.js";

/** A checked action: it has the fields that its action takes and no others. */
export interface DesktopAction {
  readonly action: DesktopActionName;
  readonly mode?: "som" | "vision" | "ax" | undefined;
  readonly app?: string | undefined;
  readonly max_elements?: number | undefined;
  readonly element?: number | undefined;
  readonly coordinate?: Point | undefined;
  readonly from_element?: number | undefined;
  readonly to_element?: number | undefined;
  readonly from_coordinate?: Point | undefined;
  readonly to_coordinate?: Point | undefined;
  readonly button?: "left" | "right" | "middle" | undefined;
  readonly modifiers?: readonly string[] | undefined;
  readonly direction?: "up" | "down" | "left" | "right" | undefined;
  readonly amount?: number | undefined;
  readonly text?: string | undefined;
  readonly keys?: string | undefined;
  readonly seconds?: number | undefined;
  readonly raise_window?: boolean | undefined;
  /** A picture of the same window follows. */
  readonly capture_after?: boolean | undefined;
}

/** What an action would reach, for the question and for rules. */
export interface DesktopTarget {
  /** Programs whose windows it may touch or show; empty: none. */
  readonly apps: readonly string[];
  /** Names the window in grants: `xterm#4194317`, or `screen` for the whole of it. */
  readonly window: string;
  /** For people: `click #3 "OK" in xterm "~/notes"`. */
  readonly summary: string;
}

export type DesktopAim =
  | { readonly ok: true; readonly target: DesktopTarget }
  | { readonly ok: false; readonly error: string };

/** What an action gave. `value` is JSON for the model; of a capture with a picture `text` stands for it where no picture is taken. */
export interface DesktopAnswer {
  readonly ok: boolean;
  readonly value: Readonly<Record<string, unknown>>;
  readonly text?: string;
  /** Absolute path of the picture. */
  readonly picture?: string;
}

/** Whose desktop it is. */
export interface DesktopPlace {
  readonly session: SessionId;
  /** Environment of the front end: its display. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface DesktopApi {
  /** Find what an action would reach. Changes nothing. Never throws but when the signal aborts. */
  aim(place: DesktopPlace, action: DesktopAction, signal: AbortSignal): Promise<DesktopAim>;
  /** Never throws but when the signal aborts. */
  act(place: DesktopPlace, action: DesktopAction, signal: AbortSignal): Promise<DesktopAnswer>;
  /** The tools of the conversation are let go: its last capture goes. */
  release(session: SessionId): Promise<void>;
}
