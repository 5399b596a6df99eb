import type { Log } from "../../../lib/base/log/log.js";
import type { Clock } from "../../../lib/base/time/clock.js";
import type { Ms } from "../../../lib/base/units.js";
import type { Cursor, Inbound, Inlet } from "../../../lib/contracts/board/platform-tag.js";
import type { AdapterEvents, AdapterFault } from "../../../lib/contracts/gateway/platform.js";
import { type Answer, type Api, LOGGED_OUT } from "./api.js";
import { normaliseMessage } from "./normalise.js";
import type { MsgxSettings } from "./settings.js";
import { type Stand, withTokens } from "./tokens.js";
import { MessageShape, UpdatesShape } from "./wire.js";

export interface PollParts {
  readonly api: Api;
  readonly inlet: Inlet;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: MsgxSettings;
  /** Messages from before are the backlog of the account. */
  readonly connectedAt: number;
  readonly reports: AdapterEvents;
  /** Something of this is stored. */
  readonly stored: (stand: Stand, events: readonly Inbound[]) => void;
}

export const CURSOR = "updates";

const POLL: Ms = 35_000;
/** Longest time of one poll, whatever the platform wishes. */
export const LONGEST_POLL_MS: Ms = 60_000;
const BUSY_MS: Ms = 5000;
const ERROR_MS: Ms = 2000;
const THIRD_ERROR_MS: Ms = 30_000;
/** Consecutive failures after which the connection counts as lost. */
const FAILURES = 9;

export const LOGIN_ENDED: AdapterFault = {
  code: "login_expired",
  message: "the login of MSGX has ended: log in again with agent gateway login msgx",
};

/** Receive until the signal aborts or the connection is of no use. A poll begins only behind what is stored. */
export async function pollUpdates(
  parts: PollParts,
  begun: Stand,
  signal: AbortSignal,
): Promise<AdapterFault | undefined> {
  let stand = begun;
  let failures = 0;
  let limit = POLL;
  while (!signal.aborted) {
    const answer = await parts.api.call("getupdates", { get_updates_buf: stand.buf }, { signal, totalMs: limit });
    if (signal.aborted) return undefined;
    parts.reports.polled();
    if (answer.ok || answer.timeout) {
      failures = 0;
      const read = answer.ok ? UpdatesShape.safeParse(answer.result).data : undefined;
      limit = Math.min(LONGEST_POLL_MS, Math.max(POLL, read?.longpolling_timeout_ms ?? 0));
      const taken = read === undefined ? stand : await take(parts, stand, read);
      if (taken === "busy") await parts.clock.sleep(BUSY_MS, signal);
      else stand = taken;
      continue;
    }
    failures += 1;
    const next = afterFailure(answer, failures);
    if (typeof next !== "number") return next;
    parts.log.warning("a poll failed", { tag: "msgx", error: answer.seen.error, again_ms: next });
    await parts.clock.sleep(next, signal);
  }
  return undefined;
}

function afterFailure({ ret, seen }: Extract<Answer, { readonly ok: false }>, failures: number): Ms | AdapterFault {
  if (ret === LOGGED_OUT) return LOGIN_ENDED;
  if (seen.saw === "answer" && seen.status === 401) return REFUSED;
  if (failures >= FAILURES) return { code: "network", message: `${failures} polls in a row failed: ${seen.error}` };
  return failures % 3 === 0 ? THIRD_ERROR_MS : ERROR_MS;
}

export const REFUSED: AdapterFault = {
  code: "auth_failed",
  message: "the platform refuses MSGX_TOKEN: log in with agent gateway login msgx",
};

type Updates = NonNullable<ReturnType<typeof UpdatesShape.safeParse>["data"]>;

/** Store what a poll brought, with the place behind it and the rights to answer, in one commit. */
async function take(
  parts: PollParts,
  stand: Stand,
  { msgs, get_updates_buf: buf = stand.buf }: Updates,
): Promise<Stand | "busy"> {
  const { inlet, settings, log, connectedAt } = parts;
  const account = { platform: "msgx", account: settings.account } as const;
  const messages = (msgs ?? []).flatMap((one) => {
    const read = MessageShape.safeParse(one);
    if (!read.success)
      log.warning("a message of the platform cannot be read", {
        tag: "msgx",
        why: read.error.issues[0]?.path.join(".") ?? "",
      });
    return read.success ? [read.data] : [];
  });
  const found = await Promise.all(
    messages.map(async (one) => {
      const event = await normaliseMessage(one, settings, async (id) => inlet.said?.(account, id));
      return event === undefined || event.sentAt === null || event.sentAt >= connectedAt
        ? event
        : { ...event, backlog: true };
    }),
  );
  const events = found.flatMap((one) => one ?? []);
  const fresh = messages.flatMap(({ from_user_id: user, context_token: token = "" }) =>
    token === "" ? [] : [[user, token] as const],
  );
  if (events.length === 0 && fresh.length === 0 && buf === stand.buf) return stand;
  const next = withTokens(stand, buf, fresh);
  const cursor: Cursor = { ...account, name: CURSOR, value: JSON.stringify(next) };
  const stored = await inlet.acceptBatch(events, cursor);
  if (stored.result === "busy") return "busy";
  parts.stored(next, events);
  return next;
}
