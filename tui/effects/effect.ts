import type { Client } from "../../lib/backplane/client.js";
import { randomIds } from "../../lib/base/ids.js";
import type { Effect, Message } from "../model/messages.js";

/** What feeds are made with. */
export interface EffectOptions {
  readonly client: Client;
  /** Of this program. */
  readonly version: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly resume: string | undefined;
  /** What the command line asks of the conversations that are opened, as `session.create` takes it. */
  readonly asks: Readonly<Record<string, unknown>>;
  /** Questions can be answered here. Absent: yes. */
  readonly answers?: boolean;
  /** What new conversations are begun from; absent: the workspace. `cli`: what needs permission is denied without a user to answer. */
  readonly source?: "workspace" | "inline" | "cli";
  readonly after: (ms: number, fn: () => void) => () => void;
  readonly log: (message: string, error: unknown) => void;
}

/** What every feed works with. */
export interface EffectContext {
  readonly options: EffectOptions;
  readonly client: Client;
  /** Aborts when the screen closes. */
  readonly signal: AbortSignal;
  readonly send: (message: Message) => void;
  /** Do something and say it when it fails; the screen waits for it when it closes. */
  readonly run: (what: string, work: () => Promise<void>) => void;
}

/** Keeps one part of the state fed from the owner, and carries out what that part asks. */
export interface EffectRunner {
  start?(): void;
  /** `session`: the one that is shown. An effect that is not of this feed is passed over. */
  perform?(effect: Effect, session: string | undefined): void;
  stop?(): void;
}

/** Of this process; a process number alone comes again after a restart of the machine. */
const own = randomIds.hex(8);
let calls = 0;

/** A key that makes a call which is sent again after a lost connection one call. */
export function callKey(): string {
  calls += 1;
  return `ws-${own}-${calls}`;
}

/** The same for a call that has a name of its own: whenever it is made, it is one call. */
export const ownKey = (name: string): string => `ws-${own}-${name}`;
