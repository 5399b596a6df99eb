/** The browser as tools reach it (core part, 26.2). Commands and answers are data: those of a worker travel to the owner, which has the browser. */
import type { Ms, SessionId } from "../../base/units.js";

/** What is looked for first in a page. */
export interface BrowserFind {
  readonly role?: string;
  readonly name?: string;
  readonly text?: string;
}

/** One step on a page. A `ref` is of the newest snapshot. */
export type BrowserStep =
  | { readonly click: { readonly ref: string } }
  /** `secret`: the text must never be shown again. */
  | { readonly type: { readonly ref: string; readonly text: string; readonly secret?: true } }
  | { readonly press: { readonly key: string } }
  | { readonly hover: { readonly ref: string } }
  | { readonly drag: { readonly ref: string; readonly to: string } }
  | { readonly select: { readonly ref: string; readonly values: readonly string[] } }
  | { readonly scroll: { readonly direction: "up" | "down" } }
  | { readonly wait_for: { readonly text?: string; readonly gone?: string; readonly seconds?: number } }
  /** Absolute paths, which the guard of reads has passed. */
  | { readonly upload: { readonly ref: string; readonly files: readonly string[] } };

export type BrowserCommand =
  | { readonly do: "navigate"; readonly url: string; readonly find?: BrowserFind }
  | { readonly do: "snapshot"; readonly full: boolean; readonly find?: BrowserFind }
  | { readonly do: "steps"; readonly steps: readonly BrowserStep[] }
  /** A tool of one step, such as `browser_click`. */
  | { readonly do: "step"; readonly step: BrowserStep }
  | { readonly do: "back" }
  | { readonly do: "console"; readonly clear: boolean; readonly expression?: string }
  | { readonly do: "images" }
  | { readonly do: "screenshot"; readonly annotate: boolean }
  | {
      readonly do: "cdp";
      readonly method: string;
      readonly params: Readonly<Record<string, unknown>>;
      readonly targetId?: string;
      readonly frameId?: string;
      readonly timeoutMs: Ms;
    }
  | {
      readonly do: "dialog";
      readonly action: "accept" | "dismiss";
      readonly promptText?: string;
      readonly dialogId?: string;
    };

/** Whose page it is, and where its files lie. */
export interface BrowserPlace {
  /** The conversation's lineage or the worker's run: one context each. */
  readonly lineage: string;
  readonly session: SessionId;
  /** Absolute: snapshots, screenshots and downloads of this context. */
  readonly dir: string;
}

/** `value` is the JSON of the tool's result, without secrets removed. A failure has `success: false` and `error`, which says what to do. */
export interface BrowserAnswer {
  readonly value: Readonly<Record<string, unknown>>;
  /** Absolute path of a PNG that was made. */
  readonly screenshot?: string;
}

/** A profile that a browser of this home works in, by its lease. */
export interface BrowserLease {
  /** Pid of the process that started the browser; null: the lease does not tell. */
  readonly owner: number | null;
  /** Pid of the browser; null: it is being started. */
  readonly browser: number | null;
  /** False: its owner has ended; the next start of a browser removes the profile. */
  readonly live: boolean;
}

export interface BrowserStatus {
  /** `local`: a browser of this machine, which is started when it is needed. `attached`: one that a person has connected. */
  readonly kind: "local" | "attached" | "provider" | "none";
  readonly running: boolean;
  /** Program or endpoint. */
  readonly where: string | null;
  /** Version of the browser that runs; null: none does. */
  readonly version: string | null;
  readonly contexts: number;
  /** Profiles of all browsers that processes of this home have started. */
  readonly leases: readonly BrowserLease[];
  /** What to know about how it runs: without its sandbox, in a person's own browser; null: nothing. */
  readonly note: string | null;
  /** Why no browser is available, and what to do. */
  readonly why: string | null;
}

export interface BrowserApi {
  /** Never throws but when the signal aborts. */
  run(place: BrowserPlace, command: BrowserCommand, signal: AbortSignal): Promise<BrowserAnswer>;
  status(): Promise<BrowserStatus>;
  /** Use a browser that runs already, by its debugging endpoint. @throws E_INVALID, E_UNAVAILABLE */
  connect(endpoint: string): Promise<BrowserStatus>;
  disconnect(): Promise<BrowserStatus>;
  /** The conversation or run has ended: its context goes. */
  release(lineage: string): Promise<void>;
}
