import { toAppError } from "../../../lib/base/errors.js";
import type { Log } from "../../../lib/base/log/log.js";
import type { Clock } from "../../../lib/base/time/clock.js";
import type { Ms } from "../../../lib/base/units.js";
import type { Account, Inbound, Inlet } from "../../../lib/contracts/board/platform-tag.js";
import type { AdapterEvents, AdapterFault } from "../../../lib/contracts/gateway/platform.js";
import { type Opened, openEnvelope } from "./envelope.js";
import type { Message, MsggLibrary, PubSub, SubscriptionOptions } from "./library.js";
import { isDirect, normaliseMembership, normaliseMessage } from "./normalise.js";
import type { MsggSettings } from "./settings.js";
import { placeInThread } from "./threads.js";

export interface PullParts {
  readonly settings: MsggSettings;
  readonly inlet: Inlet;
  readonly clock: Clock;
  readonly log: Log;
  readonly reports: AdapterEvents;
  readonly library: MsggLibrary;
  /** Waits before a stream that ended is opened again; each is twice the one before, up to the longest. */
  readonly backoff: { readonly firstMs: Ms; readonly longestMs: Ms };
}

const BUSY_MS: Ms = 5000;
const START_MS: Ms = 15_000;
const CLOSE_MS: Ms = 2000;
const FLUSH_MS: Ms = 20;
const FAILURES = 10;
/** The platform ends every stream now and then: only those that end soon one after another count as failures. */
const CALM_MS: Ms = 300_000;

/** Codes of gRPC that this decides by. */
const CODES: Readonly<Record<number, AdapterFault["code"]>> = {
  5: "config_invalid",
  7: "permission_denied",
  16: "auth_failed",
  4: "timeout",
};
/** No attempt of ours beside the one of the row, so that what fails is seen. */
const ONCE = { timeout: START_MS, retry: { retryCodes: [] } };

/** Why the subscription cannot be used, in words that say what to do. */
function faultOf(error: unknown, { subscription }: MsggSettings): AdapterFault {
  const number: unknown = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  const said = (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? "";
  const code =
    (typeof number === "number" ? CODES[number] : undefined) ??
    (said.includes("credentials") ? "auth_failed" : "network");
  switch (code) {
    case "config_invalid":
      return { code, message: `no such subscription: ${subscription}: correct MSGG_SUBSCRIPTION_NAME` };
    case "permission_denied":
      return {
        code,
        message: `the service account may not use ${subscription}: give it the role Pub/Sub Subscriber there (${said})`,
      };
    case "auth_failed":
      return { code, message: `the platform refuses the credentials: check MSGG_SERVICE_ACCOUNT_JSON (${said})` };
    default:
      return { code, message: `the subscription cannot be reached: ${said}` };
  }
}

/** One connection to the subscription. */
export interface Pull {
  /** Stop receiving, wait for what is being stored, close. */
  stop(): Promise<void>;
}

/** Ask for the subscription. @returns why it cannot be used; undefined when it can */
export async function missingSubscription(
  subscription: Pick<ReturnType<PubSub["subscription"]>, "getMetadata">,
  settings: MsggSettings,
): Promise<AdapterFault | undefined> {
  try {
    await subscription.getMetadata(ONCE);
    return undefined;
  } catch (error) {
    return faultOf(error, settings);
  }
}

/** Ask for the subscription and receive from it. Every message is acknowledged once it is stored, or will never be. */
export async function startPull(parts: PullParts, client: PubSub, signal: AbortSignal): Promise<Pull | AdapterFault> {
  const { settings, inlet, reports } = parts;
  const account: Account = { platform: "msgg", account: settings.subscription };
  const subscription = client.subscription(settings.subscription, optionsOf(parts));
  const missing = await missingSubscription(subscription, settings);
  if (missing !== undefined) return missing;
  const { at: connectedAt } = await inlet.connected(account);
  if (signal.aborted) return { code: "timeout", message: "the connect was stopped" };
  const control = new AbortController();
  const lanes = createLanes();
  const streams = countEnds(parts);
  subscription.on("message", (message: Message) => {
    streams.alive();
    const handling = { ...parts, account, connectedAt, signal: control.signal };
    const opened = openEnvelope({ data: message.data.toString("utf8"), attributes: message.attributes });
    lanes.run(opened.is === "message" ? opened.space.name : "", () => handled(handling, message, opened));
  });
  subscription.on("error", (error) => {
    if (!control.signal.aborted) reports.lost(faultOf(error, settings));
  });
  subscription.on("debug", ({ message, error }: { readonly message: string; readonly error?: unknown }) => {
    if (control.signal.aborted || !/^Subscriber stream .* will be retried/.test(message)) return;
    if (streams.ended()) reports.lost({ ...faultOf(error, settings), code: "network" });
  });
  const stop = async () => {
    control.abort(new Error("disconnected"));
    await lanes.idle();
    await subscription.close();
  };
  try {
    // A stream that is closed while it opens leaves a timer of the library behind: what comes back from the platform came after that.
    await subscription.getMetadata(ONCE);
  } catch (error) {
    await stop();
    return faultOf(error, settings);
  }
  return { stop };
}

function optionsOf({ settings, library, backoff }: PullParts): SubscriptionOptions {
  const ms = (milliseconds: number) => library.Duration.from({ milliseconds });
  return {
    flowControl: { maxMessages: settings.maxMessages, maxBytes: settings.maxBytes, allowExcessMessages: false },
    streamingOptions: {
      maxStreams: 1,
      timeout: START_MS,
      retryMinBackoff: ms(backoff.firstMs),
      retryMaxBackoff: ms(backoff.longestMs),
    },
    batching: { maxMilliseconds: FLUSH_MS, callOptions: ONCE },
    closeOptions: { behavior: "NACK", timeout: ms(CLOSE_MS) },
  };
}

/** Streams that ended one after another without a message. */
function countEnds({ clock }: PullParts): { alive(): void; ended(): boolean } {
  let count = 0;
  let last = clock.mono();
  return {
    alive: () => {
      count = 0;
    },
    ended: () => {
      count = clock.mono() - last > CALM_MS ? 1 : count + 1;
      last = clock.mono();
      return count >= FAILURES;
    },
  };
}

interface Handling extends PullParts {
  readonly account: Account;
  readonly connectedAt: number;
  readonly signal: AbortSignal;
}

/** Work of one name after another, names beside each other. */
function createLanes() {
  const lanes = new Map<string, Promise<void>>();
  return {
    /** `work` never rejects. */
    run: (name: string, work: () => Promise<void>) => {
      const mine = (lanes.get(name) ?? Promise.resolve()).then(work).then(() => {
        if (lanes.get(name) === mine) lanes.delete(name);
      });
      lanes.set(name, mine);
    },
    idle: async () => void (await Promise.all(lanes.values())),
  };
}

/** One message of a space after another: what is stored about threads is read before the next. */
async function handled(parts: Handling, message: Message, opened: Opened): Promise<void> {
  try {
    if (parts.signal.aborted) return message.nack();
    if ((await taken(parts, message, opened)) !== "busy") return message.ack();
    await parts.clock.sleep(BUSY_MS, parts.signal).catch(() => undefined); // it ends early when the adapter is let go
    message.nack();
  } catch (error) {
    parts.log.error("a message of the subscription is not taken yet", {
      tag: "msgg",
      error: toAppError(error).message,
    });
    message.nack();
  }
}

async function taken(
  { settings, inlet, log, account, connectedAt }: Handling,
  message: Message,
  opened: Opened,
): Promise<string> {
  const publishedAt = message.publishTime.getTime();
  const deps = { settings, id: message.id, publishedAt, connectedAt };
  if (opened.is === "unknown") {
    log.warning("a message of the subscription is not understood", { tag: "msgg", id: message.id, why: opened.why });
    return "dropped";
  }
  if (opened.is === "ignored") return "dropped";
  if (opened.is === "membership") return inlet.accept(normaliseMembership(opened, deps));
  const { space, message: said } = opened;
  const thread = said.thread?.name;
  if (said.sender.type === "BOT") return "dropped";
  if (!isDirect(space) || thread === undefined) return accepted(inlet, normaliseMessage(opened, false, deps));
  const placed = await placeInThread(inlet, account, { space: space.name, thread, message: said.name });
  const event = normaliseMessage(opened, placed.side, deps);
  if (event === undefined) return "dropped";
  const stored = await inlet.acceptBatch([event], placed.cursor);
  return stored.result === "busy" ? "busy" : (stored.events[0] ?? "busy");
}

const accepted = async (inlet: Inlet, event: Inbound | undefined): Promise<string> =>
  event === undefined ? "dropped" : inlet.accept(event);
