import type { EpochMs, Ms } from "../../base/units.js";
import type { Check } from "../check.js";

/** `changed`: approved once, and its file is another one now. `missing`: its file does not exist. */
export type HookConsent = "approved" | "new" | "changed" | "missing";

/** The last run of a hook in this process. */
export interface HookRun {
  readonly at: EpochMs;
  readonly ms: Ms;
  readonly outcome: string;
}

/** One `hooks.<event>` entry of the settings. */
export interface ShellHookRow {
  readonly event: string;
  readonly command: string;
  readonly matcher: string | null;
  readonly timeout_seconds: number;
  readonly fail_open: boolean;
  readonly consent: HookConsent;
  readonly last_run: HookRun | null;
}

/** What a hook says of a payload. */
export interface HookTrial {
  readonly command: string;
  readonly outcome: "allowed" | "blocked" | "failed";
  /** Message of the block, reason of the failure, or what it answered. */
  readonly detail: string;
  readonly ms: Ms;
}

/** Shell hooks of a home (extensions part, 5.3). */
export interface HooksApi {
  list(): Promise<readonly ShellHookRow[]>;
  /** Run the approved hooks of an event on a payload. @throws E_INVALID for an unknown event */
  test(event: string, payload: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<readonly HookTrial[]>;
  /** Approve the files of a command as they are now, for every event that has it; "all": every configured hook. @throws E_NOT_FOUND */
  approve(command: string): Promise<readonly ShellHookRow[]>;
  /** @throws E_NOT_FOUND */
  revoke(command: string): Promise<number>;
  doctor(signal: AbortSignal): Promise<readonly Check[]>;
  /** Hooks that do not run although they are configured, and entries that cannot be read, a sentence each. */
  problems(): readonly string[];
}

/** The API where no hooks can be configured. */
export const NO_HOOK_PROGRAMS: HooksApi = {
  list: async () => [],
  test: async () => [],
  approve: async () => [],
  revoke: async () => 0,
  doctor: async () => [],
  problems: () => [],
};
