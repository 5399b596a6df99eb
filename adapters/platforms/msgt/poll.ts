import type { Log } from "../../../lib/base/log/log.js";
import type { Clock } from "../../../lib/base/time/clock.js";
import type { Ms } from "../../../lib/base/units.js";
import type { Cursor, Inlet } from "../../../lib/contracts/board/platform-tag.js";
import type { AdapterEvents, AdapterFault } from "../../../lib/contracts/gateway/platform.js";
import type { Answer, Api, Refusal } from "./api.js";
import { readUpdate } from "./normalise.js";
import type { Observed } from "./observed.js";
import type { MsgtSettings } from "./settings.js";
import { type Me, UpdateId } from "./wire.js";

export interface PollParts {
  readonly api: Api;
  readonly inlet: Inlet;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: MsgtSettings;
  readonly me: Me;
  /** Messages from before are the backlog of the account. */
  readonly connectedAt: number;
  /** Undefined: what others say in groups is left out. */
  readonly observed: Observed | undefined;
  readonly reports: AdapterEvents;
}

export const ALLOWED_UPDATES = [
  "message",
  "edited_message",
  "channel_post",
  "callback_query",
  "my_chat_member",
] as const;
export const CURSOR = "updates";

const POLL_S = 30;
const LATE_MS: Ms = 15_000;
/** Longest time of one poll, without what an answer may be late. */
export const POLL_MS: Ms = POLL_S * 1000;
const BUSY_MS: Ms = 5000;
const CONFLICT_MS: readonly Ms[] = [10_000, 20_000, 30_000, 40_000, 50_000];
const NETWORK_MS: readonly Ms[] = [5000, 10_000, 20_000, 40_000];
const LONGEST_MS: Ms = 60_000;
const FAILURES = 10;

/** Failed polls in a row, by what they met. */
interface Failed {
  conflicts: number;
  others: number;
}

/**
 * Receive until the signal aborts or the connection is of no use. The place to go on from moves in the same commit as the events, so that the
 * platform forgets an update only when it is stored.
 */
export async function pollUpdates(
  parts: PollParts,
  stored: string | undefined,
  signal: AbortSignal,
): Promise<AdapterFault | undefined> {
  const failed: Failed = { conflicts: 0, others: 0 };
  let last = stored;
  while (!signal.aborted) {
    const answer = await ask(parts, last, signal);
    if (signal.aborted) return undefined;
    parts.reports.polled();
    if (answer.ok) {
      failed.conflicts = 0;
      failed.others = 0;
      const taken = await takeBatch(parts, answer.result, last);
      if (taken === "busy") await parts.clock.sleep(BUSY_MS, signal);
      else last = taken;
    } else {
      const next = afterFailure(answer.seen, failed);
      if (typeof next !== "number") return next;
      parts.log.warning("a poll failed", { tag: "msgt", error: answer.seen.error, again_ms: next });
      await parts.clock.sleep(next, signal);
    }
  }
  return undefined;
}

function ask({ api }: PollParts, last: string | undefined, signal: AbortSignal): Promise<Answer> {
  const offset = last === undefined ? {} : { offset: Number(last) + 1 };
  const params = { ...offset, timeout: POLL_S, limit: 100, allowed_updates: ALLOWED_UPDATES };
  return api.call("getUpdates", params, { signal, totalMs: POLL_MS + LATE_MS });
}

/** How long to wait, or why the connection is given up (gateway part, 16.1.6). */
function afterFailure(seen: Refusal, failed: Failed): Ms | AdapterFault {
  const status = seen.saw === "answer" ? seen.status : 0;
  if (status === 409) {
    failed.conflicts += 1;
    return (
      CONFLICT_MS[failed.conflicts - 1] ?? {
        code: "conflict",
        message: `another program polls with this token: ${seen.error}`,
      }
    );
  }
  if (status === 401 || (status === 404 && seen.saw === "answer" && seen.ownFormat))
    return { code: "auth_failed", message: REFUSED_TOKEN };
  if (seen.saw === "answer" && seen.retryAfterMs !== undefined) return seen.retryAfterMs;
  failed.others += 1;
  if (failed.others >= FAILURES)
    return { code: "network", message: `${FAILURES} polls in a row failed: ${seen.error}` };
  return NETWORK_MS[failed.others - 1] ?? LONGEST_MS;
}

export const REFUSED_TOKEN =
  "the platform refuses MSGT_BOT_TOKEN: put the token that its owner has now into the home's .env";

/** Store what a poll brought. Resolves with the last update that is done with. */
async function takeBatch(
  parts: PollParts,
  result: unknown,
  last: string | undefined,
): Promise<string | undefined | "busy"> {
  const updates = (Array.isArray(result) ? result : []).flatMap((one: unknown) => {
    const id = UpdateId.safeParse(one).data?.update_id;
    return id === undefined ? [] : [{ id, event: readUpdate(parts, one) }];
  });
  if (updates.length === 0) return last;
  const value = String(Math.max(...updates.map(({ id }) => id)));
  const cursor: Cursor = { platform: "msgt", account: parts.settings.account, name: CURSOR, value };
  const events = updates.flatMap(({ event }) => event ?? []);
  const stored = await parts.inlet.acceptBatch(events, cursor);
  return stored.result === "busy" ? "busy" : value;
}
