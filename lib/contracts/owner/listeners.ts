import type { EpochMs, Ms } from "../../base/units.js";

/** What listeners are for. Each kind has commands of its own that open and close it. */
export const LISTENER_KINDS = ["proxy", "dashboard"] as const;
export type ListenerKind = (typeof LISTENER_KINDS)[number];

/** An open listener of the owner, as commands and status show it. */
export interface OpenListener {
  readonly kind: ListenerKind;
  /** What it serves, where its kind can serve several things, e.g. the name of a provider. */
  readonly serves: string;
  readonly host: string;
  readonly port: number;
  /** Where its clients begin. */
  readonly url: string;
  readonly since: EpochMs;
  /** `command`: it closes with the command that opened it. `owner`: it was opened with the owner and stays as long as that. */
  readonly heldBy: "command" | "owner";
}

/** An open listener, as its maker hands it over. */
export interface LiveListener {
  /** The port that was taken; the one that was asked for, unless that was 0. */
  readonly port: number;
  readonly url: string;
  /** Accept nothing new, give running requests this time, then cut them off. Resolves when nothing is left. Harmless twice; a second call may be shorter. */
  close(grace: Ms): Promise<void>;
}

/** A listener that is wanted. */
export interface ListenerPlan {
  readonly kind: ListenerKind;
  readonly serves: string;
  readonly host: string;
  /** 0: any free one, which is never one that is open already. */
  readonly port: number;
  /** @throws AppError when it cannot listen; nothing is left behind then */
  open(): Promise<LiveListener>;
}

/** A listener in the hand of its opener. */
export interface HeldListener {
  readonly listener: OpenListener;
  /** It was open before and stays with its first opener: nothing to wait for, and `close` does nothing. */
  readonly already: boolean;
  /** Resolves when it is closed: `closed` by a caller, `owner` together with the owner. Never, when it was open before. */
  readonly closed: Promise<"closed" | "owner">;
  /** Close it; default grace 10 s. */
  close(grace?: Ms): Promise<void>;
}
