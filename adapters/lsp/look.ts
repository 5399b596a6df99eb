import type { Clock } from "../../lib/base/time/clock.js";
import type { Ms } from "../../lib/base/units.js";
import type { ServerDefinition } from "./definition.js";
import type { Document } from "./documents.js";
import { type Finding, toFindings } from "./findings.js";
import { fieldOf, type Rpc, RpcError, RpcTimeout } from "./rpc.js";

/** Core part, 19.1. */
const SETTLE_MS: Ms = 150;
const PULL_WITHIN_MS: Ms = 3_000;
const PULL_RETRIES = 3;
const RETRY_FROM_MS: Ms = 500;
/** How long a server that pushes only what changed may be silent before that means: nothing changed. */
const SILENCE_MS: Ms = 1_500;
/** How long its first push for a file waits for a better one. */
const HASTY_MS: Ms = 500;

const CONTENT_MODIFIED = -32_801;
const SERVER_CANCELLED = -32_802;

/** A server that was asked, and how it wants to be asked. */
export interface Looking {
  readonly definition: ServerDefinition;
  readonly rpc: Rpc;
  readonly clock: Clock;
  /** Commands that the server offers. */
  readonly commands: ReadonlySet<string>;
  readonly pull: PullState;
}

/** Whether the server answers `textDocument/diagnostic`; it may say so at any time. */
export interface PullState {
  readonly offered: () => { readonly identifier?: string } | undefined;
  /** How often the server said that what it answered before is out of date. */
  readonly refreshes: () => number;
  /** Called when it comes to be offered. Returns how to stop listening. */
  onOffered(listener: () => void): () => void;
}

/**
 * The errors that the server finds in the current version of an open file.
 *
 * @param until Instant of the monotonic clock
 * @throws RpcTimeout when it does not tell in time, or the error with which it ended
 */
export async function lookAt(
  document: Document,
  looking: Looking,
  until: Ms,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const { definition, commands, pull } = looking;
  const version = document.version;
  const own = definition.pushesChanges;
  if (own !== undefined && commands.has(own.command)) {
    const left = () => remaining(looking, until);
    const found = toFindings(
      await own.ask((method, params) => looking.rpc.request(method, params, left(), signal), document.uri),
    );
    return keep(document, version, found);
  }
  if (pull.offered() === undefined) {
    const settling = settle(document, looking, until, signal);
    try {
      if ((await settling.promise) === "pushed") return keep(document, version, document.pushed);
    } finally {
      settling.cancel();
    }
  }
  return keep(document, version, await pullAgain(document, looking, until, signal));
}

function keep(document: Document, version: number, found: readonly Finding[]): readonly Finding[] {
  if (document.version === version) document.known = found;
  return found;
}

function remaining({ clock }: Looking, until: Ms): Ms {
  return Math.max(1, until - clock.mono());
}

interface Settling {
  readonly promise: Promise<"pushed" | "pull">;
  cancel(): void;
}

/** Resolves when the pushes for the current version have been silent for a moment, or when the server can be asked. */
function settle(document: Document, looking: Looking, until: Ms, signal: AbortSignal): Settling {
  const { clock, definition, rpc, pull } = looking;
  const cancels: (() => void)[] = [];
  const isFresh = () => document.pushedFor === document.version;
  const promise = new Promise<"pushed" | "pull">((resolve, reject) => {
    const pushed = () => resolve("pushed");
    const onAbort = () => reject(new Error("interrupted"));
    let quiet: () => void = () => undefined;
    let pushes = 0;
    const heard = () => {
      pushes += 1;
      quiet();
      const hasty = definition.pushesChanges !== undefined && pushes === 1 && document.version === 1;
      quiet = clock.after(hasty ? HASTY_MS : SETTLE_MS, pushed);
    };
    document.heard.add(heard);
    signal.addEventListener("abort", onAbort, { once: true });
    cancels.push(
      () => quiet(),
      () => document.heard.delete(heard),
      () => signal.removeEventListener("abort", onAbort),
      rpc.onEnd((reason) => reject(new Error(reason))),
      pull.onOffered(() => resolve("pull")),
      clock.after(remaining(looking, until), () =>
        isFresh() ? pushed() : reject(new RpcTimeout("no diagnostics in time")),
      ),
    );
    if (isFresh()) heard();
    else if (definition.pushesChanges !== undefined && document.version > 1)
      cancels.push(clock.after(SILENCE_MS, pushed));
    if (!rpc.open) reject(new Error("the server has ended"));
    if (signal.aborted) onAbort();
  });
  return {
    promise,
    cancel: () => {
      for (const cancel of cancels) cancel();
    },
  };
}

/** Asks until there is an answer that the server does not take back at once. */
async function pullAgain(
  document: Document,
  looking: Looking,
  until: Ms,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  for (let tries = 0; ; tries++) {
    const refreshes = looking.pull.refreshes();
    const found = await pullOnce(document, looking, until, signal);
    const isStale = looking.pull.refreshes() !== refreshes && tries < PULL_RETRIES && looking.clock.mono() < until;
    if (found !== undefined && !isStale) return merged(document, found);
    if (looking.clock.mono() >= until) throw new RpcTimeout("no diagnostics in time");
  }
}

/** Undefined: no answer within the time of one request, and there is time for another. */
async function pullOnce(
  document: Document,
  looking: Looking,
  until: Ms,
  signal: AbortSignal,
): Promise<readonly Finding[] | undefined> {
  const { rpc, clock, pull } = looking;
  const params = { textDocument: { uri: document.uri }, ...pull.offered() };
  let pause = RETRY_FROM_MS;
  for (let retry = 0; ; retry++) {
    try {
      const answer = await rpc.request(
        "textDocument/diagnostic",
        params,
        Math.min(PULL_WITHIN_MS, remaining(looking, until)),
        signal,
      );
      return toFindings(fieldOf(answer, "items"));
    } catch (error) {
      if (error instanceof RpcTimeout) return undefined;
      const again = error instanceof RpcError && (error.code === CONTENT_MODIFIED || error.code === SERVER_CANCELLED);
      if (!again || retry >= PULL_RETRIES || clock.mono() + pause >= until) throw error;
    }
    await clock.sleep(pause, signal);
    pause *= 2;
  }
}

/** What was asked for, and what the server pushed for the same version beside it. */
function merged(document: Document, found: readonly Finding[]): readonly Finding[] {
  if (document.pushedFor !== document.version) return found;
  const known = new Set(found.map((one) => JSON.stringify(one)));
  return [...found, ...document.pushed.filter((one) => !known.has(JSON.stringify(one)))];
}
