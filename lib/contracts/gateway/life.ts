/** How the gateway of a process begins and ends (gateway part, 3.1, 3.8). */
import type { Ms } from "../../base/units.js";
import type { ChatOrigin } from "../board/notify.js";

/** `handover`: another process takes the home. `signal`: unplanned. */
export type EndReason = "stop" | "restart" | "handover" | "signal";

export interface GatewayEnd {
  readonly why: EndReason;
  /** Longest wait for what runs; default: as the settings say. */
  readonly limitMs?: Ms;
  /** The chat that asked for it. */
  readonly asker?: ChatOrigin;
}

/** The process that is asked to end its gateway, and what happens to it. */
export interface GatewayEnding {
  readonly pid: number;
  /** The kernel's start time, compared as text. */
  readonly start: string;
  readonly role: OwnerRole;
  /** The process goes on without a gateway. */
  readonly stays: boolean;
}

/** `command`: there for the length of one command, whatever that is. */
export type OwnerRole = "gateway" | "headless" | "workspace" | "command";

/** The last that was recorded of a gateway. */
export interface LastState {
  readonly state: string;
  /** Milliseconds. */
  readonly at: number;
  readonly pid: number;
  /** Why it is in that state; null: by itself. */
  readonly reason: string | null;
}
