import type { Clock } from "../base/time/clock.js";
import type { Ms } from "../base/units.js";
import {
  type HookCallback,
  type HookFields,
  type HookName,
  TELEMETRY_SCHEMA_VERSION,
} from "../contracts/hooks/hooks.js";
import { toScreenLine } from "../safety/redact/text.js";
import { deepCopy } from "./deep-copy.js";

/** One registration. */
export interface Listener {
  readonly name: HookName;
  readonly source: string;
  readonly failOpen: boolean;
  readonly callback: HookCallback;
  readonly timeoutMs: () => Ms;
  readonly matches: (fields: HookFields[HookName]) => boolean;
}

/** What a callback answered, or why it did not. */
export type Answer = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly why: string };

/** Characters of a failure that are shown and logged. */
const REASON_CHARS = 500;
export const HOOK_INTERRUPTED = "interrupted";

/** Call one listener with copies of the fields, and wait for its answer: not past its limit, nor past the signal. Never rejects. */
export async function askCallback(
  clock: Clock,
  listener: Listener,
  fields: HookFields[HookName],
  signal?: AbortSignal,
): Promise<Answer> {
  if (signal?.aborted) return { ok: false, why: HOOK_INTERRUPTED };
  const control = new AbortController();
  try {
    const copy = { ...deepCopy(fields), telemetry_schema_version: TELEMETRY_SCHEMA_VERSION } as const;
    const value = listener.callback(copy, control.signal);
    if (!isThenable(value)) return { ok: true, value };
    return await within(clock, listener.timeoutMs(), { value, control, signal });
  } catch (thrown) {
    return { ok: false, why: reasonOf(thrown) };
  }
}

interface Waiting {
  readonly value: PromiseLike<unknown>;
  readonly control: AbortController;
  readonly signal: AbortSignal | undefined;
}

async function within(clock: Clock, ms: Ms, { value, control, signal }: Waiting): Promise<Answer> {
  let over: (why: string) => void = () => undefined;
  const ended = new Promise<Answer>((resolve) => {
    over = (why) => {
      resolve({ ok: false, why });
      control.abort(new Error(why));
    };
  });
  const cancel = clock.after(ms, () => over(`timed out after ${ms / 1000} s`));
  const stop = () => over(HOOK_INTERRUPTED);
  signal?.addEventListener("abort", stop, { once: true });
  try {
    const answered = Promise.resolve(value).then(
      (answer): Answer => ({ ok: true, value: answer }),
      (thrown: unknown): Answer => ({ ok: false, why: reasonOf(thrown) }),
    );
    return await Promise.race([answered, ended]);
  } finally {
    cancel();
    signal?.removeEventListener("abort", stop);
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

/** One line of what was thrown. */
export function reasonOf(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message : typeof thrown === "string" ? thrown : "";
  return toScreenLine(text, REASON_CHARS) || "unknown error";
}
