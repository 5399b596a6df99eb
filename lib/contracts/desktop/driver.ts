/** A desktop driver: the server of the protocol of extensions part, 10.6, as its client sees it. */
import type { Ms } from "../../base/units.js";

export interface DriverAnswer {
  /** The JSON of the result. */
  readonly value: Readonly<Record<string, unknown>>;
  readonly picture?: Uint8Array;
}

/**
 * Why a call of a driver has no result. `answered`: the driver said no. `unsent`: it was not there, nothing has happened. `lost`: it ended, or
 * said nothing in time; whether something has happened is unknown.
 */
export type DriverFailureKind = "answered" | "unsent" | "lost";

/** @see DriverFailureKind */
export class DriverFailure extends Error {
  override readonly name = "DriverFailure";
  readonly kind: DriverFailureKind;
  constructor(kind: DriverFailureKind, message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

export interface DriverCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly timeoutMs: Ms;
}

/** A driver that has been started. */
export interface DesktopDriver {
  /** Names of the arguments of each tool that it offers. */
  readonly tools: ReadonlyMap<string, ReadonlySet<string>>;
  /** Arguments that it does not do without, by tool. */
  readonly required: ReadonlyMap<string, ReadonlySet<string>>;
  /** It has ended. */
  readonly over: boolean;
  /** @throws DriverFailure; the signal's reason when it aborts */
  call(call: DriverCall, signal: AbortSignal): Promise<DriverAnswer>;
  close(): Promise<void>;
}

/** A window as drivers list it. */
export interface DesktopWindow {
  readonly pid: number;
  readonly window_id: number;
  readonly app: string;
  readonly title: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly focused: boolean;
}

/** An element of a capture. The place is in pixels of the picture that the driver made. */
export interface DesktopElement {
  /** From 1. */
  readonly index: number;
  readonly role: string;
  readonly label: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Absent: that of the window. */
  readonly app?: string | undefined;
}
