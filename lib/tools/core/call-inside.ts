import type { CallStatus } from "../../contracts/chat/chat.js";

/** A call that a tool makes while it runs. `content` is whole and redacted. Never rejects for what the called tool does. */
export type CallInside = (
  name: string,
  args: Readonly<Record<string, unknown>>,
  /** Aborts when its result is no longer awaited. */
  signal: AbortSignal,
) => Promise<{ readonly content: string; readonly status: CallStatus }>;
