import type { DesktopElement, DesktopWindow } from "../../lib/contracts/desktop/driver.js";

/** The window that a call is meant for. */
export interface WindowRef {
  readonly pid?: number | undefined;
  readonly window_id?: number | undefined;
}

export interface PointAt extends WindowRef {
  /** Pixels of the window, or of the screen without one. */
  readonly x?: number | undefined;
  readonly y?: number | undefined;
}

export interface Picture {
  readonly bytes: Uint8Array;
  readonly mimeType: "image/png" | "image/jpeg";
}

/** A window, or the whole screen, as it is now. Places are in its own pixels. */
export interface WindowState {
  readonly width: number;
  readonly height: number;
  readonly elements: readonly DesktopElement[];
  readonly picture?: Picture;
}

export type CaptureMode = "som" | "vision" | "ax";

export interface Looking {
  readonly mode: CaptureMode;
  /** Longest side of the picture in pixels. */
  readonly maxSide?: number | undefined;
}

export interface MouseClick extends PointAt {
  readonly button: "left" | "right" | "middle";
  readonly count: number;
  readonly modifiers: readonly string[];
}

export interface MouseDrag extends WindowRef {
  readonly from_x: number;
  readonly from_y: number;
  readonly to_x: number;
  readonly to_y: number;
  readonly modifiers: readonly string[];
}

export interface MouseScroll extends PointAt {
  readonly direction: "up" | "down" | "left" | "right";
  readonly amount: number;
}

/** What a driver of the program does. A failure is thrown; its message goes to the model. */
export interface DriverBackend {
  readonly name: string;
  windows(signal: AbortSignal): Promise<readonly DesktopWindow[]>;
  state(window: WindowRef, how: Looking, signal: AbortSignal): Promise<WindowState>;
  click(click: MouseClick, signal: AbortSignal): Promise<void>;
  drag(drag: MouseDrag, signal: AbortSignal): Promise<void>;
  scroll(scroll: MouseScroll, signal: AbortSignal): Promise<void>;
  type(text: string, window: WindowRef, signal: AbortSignal): Promise<void>;
  /** Names of keys, the modifiers first. */
  press(keys: readonly string[], window: WindowRef, signal: AbortSignal): Promise<void>;
  focus(window: WindowRef, raise: boolean, signal: AbortSignal): Promise<void>;
}
