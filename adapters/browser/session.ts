import type { BrowserContext, Page } from "playwright-core";
import type { Clock } from "../../lib/base/time/clock.js";
import type { EpochMs } from "../../lib/base/units.js";

/** A dialog of a page (`alert`, `confirm`, `prompt`, `beforeunload`) that waits for an answer. Its page stands still meanwhile. */
export interface PendingDialog {
  /** `d1`, `d2`, ... within the session. */
  readonly id: string;
  readonly type: string;
  readonly message: string;
  /** What a prompt suggests. */
  readonly defaultValue: string;
  /** Address of its page. */
  readonly url: string;
}

export interface SessionDialogs {
  /** The oldest first. */
  pending(): readonly PendingDialog[];
  /** Calls `listener` when a dialog opens: an action that waits for its page has to stop waiting. @returns what stops that */
  onOpen(listener: (dialog: PendingDialog) => void): () => void;
  /** Answer one; default: the oldest. False: unknown id. */
  answer(how: { readonly accept: boolean; readonly text?: string; readonly id?: string }): Promise<boolean>;
}

export interface ConsoleLine {
  /** `log`, `info`, `warning`, `error`, `debug`; `exception` for an error that no code of the page has caught. */
  readonly type: string;
  readonly text: string;
  /** `https://host/app.js:12:3`, where the page tells it. */
  readonly at?: string;
}

export interface SessionConsole {
  /** The newest 200, the oldest first. */
  lines(): readonly ConsoleLine[];
  clear(): void;
}

/** What became of one download. */
export interface DownloadNews {
  /** Name that the page suggests, made safe. */
  readonly name: string;
  /** Absolute; absent where it was refused or failed. */
  readonly path?: string;
  readonly bytes?: number;
  /** Why the file is missing. */
  readonly error?: string;
}

/** A request that the address guard did not let out. */
export interface RefusedRequest {
  readonly at: EpochMs;
  /** The address as far as it is known: of an encrypted connection only `https://host:port`. */
  readonly url: string;
  /** `blocked: 10.0.0.5 is a private address (security.allow_private_urls)`. */
  readonly reason: string;
}

/** What a page lives in: one context of one conversation or run. Commands of one session never run at the same time. */
export interface BrowserSession {
  readonly context: BrowserContext;
  readonly clock: Clock;
  /** Absolute; exists. Snapshots, screenshots and `downloads` of this session. */
  readonly dir: string;
  /** The current page: the newest that has opened, or that was chosen. A popup becomes the current one; when it closes, the one before it. */
  page(): Page;
  /** All that are open, in the order of their opening. */
  pages(): readonly Page[];
  /** Resolves when the pages that a page has opened so far are among them, at most `ms` later. */
  opened(ms: number): Promise<void>;
  /** Make a page the current one. */
  choose(page: Page): void;
  readonly dialogs: SessionDialogs;
  readonly console: SessionConsole;
  readonly downloads: {
    /** What has ended since this was asked last. Downloads that still run are waited for at most `ms`. */
    taken(ms?: number): Promise<readonly DownloadNews[]>;
    /** How many run now. */
    running(): number;
  };
  /** Why the guard would not let a navigation to this address out; undefined: it may be tried. For a clear error before the page is left. */
  refusal(url: string): Promise<string | undefined>;
  /** The newest 50 requests that were not let out: why a page or a part of it did not load. */
  refused(): readonly RefusedRequest[];
  /** Of the commands: the last snapshot and the like. Empty in a new session. */
  readonly state: Map<string, unknown>;
}
