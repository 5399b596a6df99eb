import { toAppError } from "../../../lib/base/errors.js";
import type { Ms } from "../../../lib/base/units.js";
import type { AdapterEvents, AdapterFault, Platform } from "../../../lib/contracts/gateway/platform.js";
import { capsOf } from "../../../lib/contracts/gateway/platform-traits.js";
import type { PlatformPorts } from "../../../lib/gateway/adapter/define-platform.js";
import { createApi, LOGGED_OUT } from "./api.js";
import { fetchMedia } from "./cdn.js";
import { createPace } from "./pace.js";
import { plainText } from "./plain.js";
import { CURSOR, LOGIN_ENDED, LONGEST_POLL_MS, type PollParts, pollUpdates, REFUSED } from "./poll.js";
import { type SendParts, sendRow } from "./send.js";
import { accountOf, type MsgxSettings, readMsgxSettings } from "./settings.js";
import { type Stand, standOf } from "./tokens.js";
import { createTyping } from "./typing.js";

export type MsgxDeps = Pick<
  PlatformPorts,
  "settings" | "others" | "inlet" | "net" | "clock" | "ids" | "log" | "version"
>;

/** One connection, from `connect` to `disconnect`. */
interface Life {
  readonly control: AbortController;
  readonly reports: AdapterEvents;
  /** Resolves when nothing of it runs any more. */
  readonly over: Promise<unknown>;
}

/** As many lines as a message may have leave one after the other; each call has its own limit. */
const LINES_MS: Ms = 3_600_000;
const GROUPS = "MSGX_GROUP_POLICY is set, but the platform usually delivers no messages of groups to a bot identity";

/** The adapter of MSGX: JSON calls and long polls (gateway part, 16.7). Making it checks nothing; `connect` says what is wrong. */
export function createMsgx(deps: MsgxDeps): Platform {
  const account = accountOf(deps.settings);
  const read = readMsgxSettings(deps.settings, deps.others("gateway"));
  const common = { tag: "msgx", account, caps: capsOf("msgx"), format: plainText } as const;
  if ("problem" in read) {
    const refusal = { result: "refused", error: read.problem, retryable: true } as const;
    const fault = { connected: false, code: "config_invalid", message: read.problem } as const;
    return { ...common, connect: async () => fault, disconnect: async () => undefined, send: async () => refusal };
  }
  const { settings } = read;
  const { net, ids, clock, inlet } = deps;
  const api = createApi(settings, { net, ids, clock, version: deps.version ?? "0" });
  let life: Life | undefined;
  let stand: Stand | undefined;
  const known = async () => {
    stand ??= standOf(await inlet.cursor({ platform: "msgx", account: settings.account }, CURSOR));
    return stand;
  };
  const tokenOf = (user: string) => stand?.tokens.findLast(([one]) => one === user)?.[1];
  /** Chats whose rows wait; after a start they are unknown, so each is asked once. */
  const fed = new Set<string>();
  const parts: Omit<SendParts, "rest"> = {
    api,
    net,
    settings,
    clock,
    ids,
    tokenOf,
    pace: createPace(settings, clock),
    progress: new Map(),
    refusals: new Map(),
    starved: (chat) => void fed.delete(chat),
    loggedOut: () => life?.reports.lost(LOGIN_ENDED),
  };
  const stored: PollParts["stored"] = (next, events) => {
    stand = next;
    for (const chat of new Set(events.flatMap(({ source }) => source.chatId ?? []))) {
      if (fed.has(chat)) continue;
      fed.add(chat);
      inlet.sendable?.({ platform: "msgx", account: settings.account }, chat).catch((error: unknown) => {
        fed.delete(chat);
        deps.log.warning("messages wait longer than they have to", { tag: "msgx", error: toAppError(error).message });
      });
    }
  };
  const disconnect = async () => {
    const ending = life;
    life = undefined;
    ending?.control.abort(new Error("disconnected"));
    await ending?.over;
  };
  return {
    ...common,
    connect: async (reports, signal) => {
      await disconnect();
      const fault = await greet(api, signal);
      if (fault !== undefined) return { connected: false, ...fault };
      const { at } = await inlet.connected({ platform: "msgx", account: settings.account });
      stand = undefined;
      const from = await known();
      if (signal.aborted) return { connected: false, code: "timeout", message: "the connect was stopped" };
      if (settings.groupPolicy !== "disabled") deps.log.warning(GROUPS);
      life = receive({ ...deps, api, settings, reports, connectedAt: at, stored }, from);
      return { connected: true, pollTimeoutMs: LONGEST_POLL_MS };
    },
    disconnect,
    send: async (row, signal, rest = (ms) => clock.sleep(ms, signal)) => {
      await known();
      return sendRow({ ...parts, rest }, row, signal);
    },
    resting: parts.pace.resting,
    ...(settings.splitLines ? { sendTimeoutMs: LINES_MS } : {}),
    fetchMedia: (media, signal) => fetchMedia(parts, media, signal),
    typing: createTyping({ api, clock, tokenOf }),
  };
}

const NOTIFY_MS = 5000;

/** Tell the platform that a client listens. Only what the first poll would meet as well counts. */
async function greet(api: ReturnType<typeof createApi>, signal: AbortSignal): Promise<AdapterFault | undefined> {
  const answer = await api.call("msg/notifystart", {}, { signal, totalMs: NOTIFY_MS });
  if (answer.ok) return undefined;
  if (answer.ret === LOGGED_OUT) return LOGIN_ENDED;
  if (answer.seen.saw === "answer") return answer.seen.status === 401 ? REFUSED : undefined;
  if (signal.aborted) return { code: "timeout", message: "the connect was stopped" };
  return answer.seen.saw === "unsent"
    ? { code: "network", message: `MSGX_BASE_URL cannot be reached: ${answer.seen.error}` }
    : undefined;
}

function receive(parts: PollParts & { readonly settings: MsgxSettings }, from: Stand): Life {
  const control = new AbortController();
  const { signal } = control;
  const { reports, api } = parts;
  const polling = async () => {
    try {
      const fault = await pollUpdates(parts, from, signal);
      if (fault !== undefined) reports.lost(fault);
    } catch (error) {
      if (!signal.aborted) reports.lost({ code: "platform_error", message: toAppError(error).message });
    }
  };
  const ended = async () => {
    await polling();
    await api.call("msg/notifystop", {}, { signal: new AbortController().signal, totalMs: 2000 });
  };
  return { control, reports, over: ended() };
}
