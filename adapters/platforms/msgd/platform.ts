import { toAppError } from "../../../lib/base/errors.js";
import type { Inbound } from "../../../lib/contracts/board/platform-tag.js";
import type { AdapterEvents, AdapterFault, Platform } from "../../../lib/contracts/gateway/platform.js";
import { capsOf } from "../../../lib/contracts/gateway/platform-traits.js";
import type { PlatformPorts } from "../../../lib/gateway/adapter/define-platform.js";
import { chatAids } from "./aids.js";
import { type Api, createApi, type Refusal } from "./api.js";
import { catchUp } from "./catch-up.js";
import { createChannels } from "./channels.js";
import { syncCommands } from "./commands.js";
import { CURSOR, createIntake } from "./intake.js";
import { acknowledge } from "./interactions.js";
import { type Library, type LoadLibrary, libraryOf, loadLibrary } from "./library.js";
import { fetchMedia } from "./media.js";
import { readDispatch } from "./receive.js";
import { type SendParts, sendRow, toShown } from "./send.js";
import { gatewayProblem, INTENTS, openSession, type Place, type Session } from "./session.js";
import { accountOf, type MsgdSettings, readMsgdSettings } from "./settings.js";
import { createThreads } from "./threads.js";
import { BotShape } from "./wire.js";

export interface MsgdDeps
  extends Pick<PlatformPorts, "settings" | "others" | "inlet" | "net" | "clock" | "chance" | "log" | "commands"> {
  /** Gives the library; default: the installed package. */
  readonly load?: LoadLibrary;
}

/** One connection, from `connect` to `disconnect`. */
interface Life {
  readonly control: AbortController;
  readonly session: Session;
  /** Resolves when nothing of it runs any more. */
  readonly over: Promise<unknown>;
}

/** What the library is needed for, made at the first connect. */
interface Tools {
  readonly library: Library;
  readonly api: Api;
  readonly parts: SendParts;
}

/** The adapter of MSGD: REST and events over a websocket (gateway part, 16.2). Making it loads no library; `connect` says what is wrong. */
export function createMsgd(deps: MsgdDeps): Platform {
  const account = accountOf(deps.settings);
  const read = readMsgdSettings(deps.settings, deps.others("gateway"));
  const common = { tag: "msgd", account, caps: capsOf("msgd"), format: toShown } as const;
  if ("problem" in read) {
    const refusal = { result: "refused", error: read.problem, retryable: true } as const;
    const fault = { connected: false, code: "config_invalid", message: read.problem } as const;
    return { ...common, connect: async () => fault, disconnect: async () => undefined, send: async () => refusal };
  }
  const { settings } = read;
  let tools: Tools | undefined;
  let life: Life | undefined;
  const ready = async () => {
    const found = await libraryOf(deps.load ?? loadLibrary);
    if ("code" in found) return found;
    tools ??= toolsOf(found.library, settings, deps, () => life?.control.signal ?? AbortSignal.abort());
    return tools;
  };
  const disconnect = async () => {
    const ending = life;
    life = undefined;
    ending?.control.abort(new Error("disconnected"));
    await ending?.session.end();
    await ending?.over;
  };
  return {
    ...common,
    connect: async (reports, signal) => {
      await disconnect();
      const made = await ready();
      if ("code" in made) return { connected: false, ...made };
      const begun = await begin({ ...made, settings, deps, reports }, signal);
      if ("code" in begun) return { connected: false, ...begun };
      life = begun;
      return { connected: true };
    },
    disconnect,
    send: async (row, signal) => {
      const made = tools ?? (await ready());
      if ("code" in made) return { result: "refused", error: made.message, retryable: true };
      return sendRow(made.parts, row, signal);
    },
    fetchMedia: (media, signal) => fetchMedia({ net: deps.net, settings }, media, signal),
    ...lazyAids(async () => {
      const made = tools ?? (await ready());
      return "code" in made ? undefined : chatAids(made.parts);
    }),
  };
}

function toolsOf(library: Library, settings: MsgdSettings, deps: MsgdDeps, signal: () => AbortSignal): Tools {
  const { net, clock, log, inlet } = deps;
  const api = createApi({ library, settings, net, clock });
  const channels = createChannels({ api, me: settings.account, inlet, log });
  const threads = createThreads({ api, channels, log, signal });
  return { library, api, parts: { api, settings, channels, threads, commands: new Map(), places: new Map() } };
}

type Aids = ReturnType<typeof chatAids>;

/** What is best effort is nothing without the library. */
function lazyAids(aids: () => Promise<Aids | undefined>): Aids {
  const gone = { result: "refused", error: "not connected", retryable: false } as const;
  return {
    typing: async (...given) => (await aids())?.typing(...given),
    createThread: async (parent, name, signal) => (await (await aids())?.createThread(parent, name, signal)) ?? null,
    chatInfo: async (chatId, signal) => (await aids())?.chatInfo(chatId, signal),
    listChannels: async (signal) => (await (await aids())?.listChannels(signal)) ?? [],
    react: async (...given) => (await (await aids())?.react(...given)) ?? gone,
    onTurn: async (event, phase, signal) => (await aids())?.onTurn(event, phase, signal),
    edit: async (...given) => (await (await aids())?.edit(...given)) ?? gone,
  };
}

interface Beginning extends Tools {
  readonly settings: MsgdSettings;
  readonly deps: MsgdDeps;
  readonly reports: AdapterEvents;
}

/** Ask where events come from, and take them until the signal of the life aborts. */
async function begin(all: Beginning, signal: AbortSignal): Promise<Life | AdapterFault> {
  const { api, settings, deps, reports, library, parts } = all;
  const { inlet, clock, chance, log } = deps;
  const answer = await api.call("GET", "/gateway/bot", { signal });
  if (!answer.ok) return faultOf(answer.seen);
  const gateway = BotShape.safeParse(answer.result).data;
  if (gateway === undefined)
    return { code: "platform_error", message: "MSGD_API_BASE does not answer as the platform does" };
  const problem = gatewayProblem(gateway.url, settings) ?? startProblem(gateway);
  if (problem !== undefined) return { code: "platform_error", message: problem };
  const account = { platform: "msgd", account: settings.account } as const;
  await inlet.connected(account);
  const stored = placeIn(await inlet.cursor(account, CURSOR), settings);
  const control = new AbortController();
  const works = new Set<Promise<unknown>>();
  const aside = (work: Promise<unknown>) => {
    const kept = work.catch((error: unknown) =>
      log.warning("something beside messages failed", { tag: "msgd", error: toAppError(error).message }),
    );
    works.add(kept);
    kept.finally(() => works.delete(kept)).catch(() => undefined); // told above
  };
  const receive = { ...parts, clock, log, me: settings.account, signal: control.signal };
  const stop = () => control.abort(signal.reason);
  const intake = createIntake({
    inlet,
    account: settings.account,
    clock,
    log,
    signal: control.signal,
    session: () => session,
    read: (dispatch, last) => {
      if (dispatch.type === "READY" && settings.catchUp) aside(catchUp({ ...receive, inlet, push: intake.push }));
      return readDispatch(receive, dispatch, last);
    },
    stored: (event: Inbound) =>
      aside(acknowledge(parts, event, { signal: control.signal, hidden: settings.privateNotices })),
  });
  const session = openSession({
    library,
    settings,
    clock,
    chance,
    log,
    gateway,
    stored,
    intents: intentsOf(settings),
    told: intake.push,
    lost: reports.lost,
  });
  signal.addEventListener("abort", stop, { once: true });
  control.signal.addEventListener("abort", () => void session.end().catch(() => undefined), { once: true });
  const running = intake.run().catch((error: unknown) => {
    if (!control.signal.aborted) reports.lost({ code: "platform_error", message: toAppError(error).message });
  });
  const fault = await session.begun;
  signal.removeEventListener("abort", stop);
  if (fault !== undefined) {
    control.abort(new Error("not connected"));
    await session.end();
    await running;
    return fault;
  }
  aside(syncCommands({ api, settings, commands: deps.commands ?? [], log, signal: control.signal }));
  const over = running.then(async () => {
    while (works.size > 0) await Promise.all(works);
  });
  return { control, session, over };
}

function intentsOf({ rules }: MsgdSettings): number {
  const { guilds, members, messages, reactions, direct, content } = INTENTS;
  return guilds | messages | reactions | direct | content | (rules.allowedRoles.length > 0 ? members : 0);
}

function startProblem({
  session_start_limit: { remaining, reset_after: ms },
}: {
  session_start_limit: { remaining: number; reset_after: number };
}) {
  return remaining > 0
    ? undefined
    : `the bot was connected too often: the platform takes it again in ${Math.ceil(ms / 60_000)} minutes`;
}

/** Why the platform cannot be used. */
export function faultOf(seen: Refusal): AdapterFault {
  if (seen.saw !== "answer") return { code: "network", message: `MSGD_API_BASE cannot be reached: ${seen.error}` };
  if (seen.status === 401) {
    return {
      code: "auth_failed",
      message: "the platform refuses MSGD_BOT_TOKEN: put the token that the bot has now into the home's .env",
    };
  }
  return { code: "platform_error", message: seen.error };
}

/** Where an earlier process stopped; what cannot be used any more is passed over. */
function placeIn(text: string | undefined, settings: MsgdSettings): Place | undefined {
  if (text === undefined) return undefined;
  const read: unknown = JSON.parse(text);
  if (typeof read !== "object" || read === null || !("id" in read) || !("url" in read) || !("seq" in read))
    return undefined;
  const { id, url, seq } = read;
  if (typeof id !== "string" || typeof url !== "string" || typeof seq !== "number") return undefined;
  return gatewayProblem(url, settings) === undefined ? { id, url, seq } : undefined;
}
