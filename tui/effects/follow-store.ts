import type { Client } from "../../lib/backplane/client.js";
import type { WireEvent } from "../../lib/contracts/wire/wire.js";
import type { SetTimer } from "../terminal/decode.js";

const RETRY_MS = 400; // a board made elsewhere is seen within a second

/** Resolves when what `follow` starts has begun, or never will. */
export function whenBegun(signal: AbortSignal, follow: (onBegin: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
    follow(resolve);
  });
}

/** A store that is followed until the end. */
export interface Followed {
  readonly client: Client;
  readonly after: SetTimer;
  readonly store: string;
  readonly onBegin?: () => void;
  /** Events are missing: what is shown has to be read again. */
  readonly onReset: () => void;
}

/** Follow the events of a store; one that was not made yet is looked for again. */
export async function followStore(
  followed: Followed,
  signal: AbortSignal,
  on: (event: WireEvent) => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await drain(followed, signal, on);
    } catch (error) {
      if (signal.aborted) return;
      if (!isMissing(error)) throw error; // a board that was not made yet is looked for again
    }
    await pause(followed.after, RETRY_MS, signal);
  }
}

/** Resolves after `ms`, or at once when the signal aborts. */
export function pause(after: SetTimer, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      cancel();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const cancel = after(ms, end);
    signal.addEventListener("abort", end, { once: true });
  });
}

async function drain(
  { client, store, onBegin, onReset }: Followed,
  signal: AbortSignal,
  on: (event: WireEvent) => Promise<void>,
): Promise<void> {
  for await (const item of client.subscribe(store, { signal, onBegin })) {
    if (item.kind === "reset") onReset();
    for (const event of item.kind === "events" ? item.events : []) await on(event);
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "E_NOT_FOUND";
