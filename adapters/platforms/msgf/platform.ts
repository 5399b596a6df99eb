import type { AdapterEvents, AdapterFault, Connected, Platform } from "../../../lib/contracts/gateway/platform.js";
import { capsOf } from "../../../lib/contracts/gateway/platform-traits.js";
import type { PlatformPorts } from "../../../lib/gateway/adapter/define-platform.js";
import { isLoopback } from "../common/base-address.js";
import { type Answer, type Api, createApi } from "./api.js";
import { type Chats, createChats } from "./chats.js";
import { createIdentity, type Identity } from "./identity.js";
import { type LoadLibrary, libraryOr } from "./library.js";
import { createPlaces, type Places } from "./places.js";
import { createTaker } from "./receive.js";
import type { ReceiveParts } from "./receive-parts.js";
import { sendRow } from "./send.js";
import { accountOf, type MsgfSettings, readMsgfSettings } from "./settings.js";
import { sideSigns } from "./signs.js";
import { openSocket } from "./socket.js";
import { listenForEvents } from "./webhook.js";
import { EndpointShape } from "./wire.js";

export type MsgfDeps = Pick<PlatformPorts, "settings" | "others" | "inlet" | "net" | "clock" | "log" | "hooks">;

/** What one connection is closed with. */
type Close = () => Promise<void>;

interface Parts {
  readonly settings: MsgfSettings;
  readonly deps: MsgfDeps;
  readonly api: Api;
  readonly identity: Identity;
  readonly chats: Chats;
  readonly places: Places;
  readonly load: LoadLibrary;
}

/** The adapter of MSGF (gateway part, 16.4). Making it checks nothing; `connect` says what is wrong. */
export function createMsgf(deps: MsgfDeps, load: LoadLibrary): Platform {
  const account = accountOf(deps.settings);
  const insecure = () => deps.others("gateway").flag("ALLOW_INSECURE_API_BASE", false);
  const read = readMsgfSettings(deps.settings, insecure);
  const common = { tag: "msgf", account, caps: capsOf("msgf"), format: (markdown: string) => markdown } as const;
  if ("problem" in read) {
    const refusal = { result: "refused", error: read.problem, retryable: true } as const;
    const fault = { connected: false, code: "config_invalid", message: read.problem } as const;
    return { ...common, connect: async () => fault, disconnect: async () => undefined, send: async () => refusal };
  }
  const { settings } = read;
  const api = createApi(settings, deps.net, deps.clock);
  const chats = createChats(api);
  const places = createPlaces(deps.clock);
  const parts: Parts = {
    settings,
    deps,
    api,
    chats,
    places,
    load,
    identity: createIdentity(settings, api, deps.clock),
  };
  let life: { readonly control: AbortController; readonly close: Close } | undefined;
  const disconnect = async () => {
    const ending = life;
    life = undefined;
    await ending?.close();
    ending?.control.abort(new Error("disconnected"));
  };
  return {
    ...common,
    connect: async (reports, signal) => {
      await disconnect();
      const control = new AbortController();
      const begun = await begin(parts, reports, { signal, alive: control.signal });
      if ("code" in begun) return { connected: false, ...begun };
      life = { control, close: begun.close };
      if (!signal.aborted) return begun.connected;
      await disconnect();
      return { connected: false, code: "timeout", message: "the connect was stopped" };
    },
    disconnect,
    send: (row, signal) => sendRow({ api, places }, row, signal),
    ...sideSigns({ api, settings, chats, places }),
  };
}

interface Signals {
  /** Of the connect. */
  readonly signal: AbortSignal;
  /** Of the connection. */
  readonly alive: AbortSignal;
}

async function begin(
  parts: Parts,
  reports: AdapterEvents,
  { signal, alive }: Signals,
): Promise<{ readonly connected: Connected; readonly close: Close } | AdapterFault> {
  const { settings, deps, identity } = parts;
  const way = settings.webhook ?? (await libraryOr(parts.load));
  if ("code" in way) return way;
  const unknown = await identity.ask(signal);
  if (unknown !== undefined && (unknown.seen.saw !== "answer" || unknown.seen.credential === true))
    return faultOf(unknown);
  const { at: connectedAt } = await deps.inlet.connected({ platform: "msgf", account: settings.appId });
  const receiving: ReceiveParts = { ...parts, inlet: remembering(parts), log: deps.log, connectedAt };
  const taker = createTaker(receiving);
  const take = (payload: unknown) => taker(payload, alive);
  if ("port" in way) {
    const listener = await listenForEvents({ hooks: deps.hooks, clock: deps.clock, take }, way);
    if ("code" in listener) return listener;
    return { connected: { connected: true, listen: listener.address }, close: () => listener.close() };
  }
  const endpoint = await endpointOf(parts, signal);
  if ("code" in endpoint) return endpoint;
  const socket = await openSocket(
    {
      library: way,
      endpoint,
      take,
      log: deps.log,
      apiBase: settings.apiBase,
      lost: (fault) => reports.lost(fault),
    },
    signal,
  );
  return "code" in socket ? socket : { connected: { connected: true }, close: () => socket.close() };
}

/** Where an answer in a thread goes when it quotes nothing. */
function remembering({ deps, places }: Parts): ReceiveParts["inlet"] {
  return {
    ...deps.inlet,
    accept: async (event) => {
      const { chatId, threadId, messageId } = event.source;
      if (chatId !== null && threadId !== null && messageId !== null) places.seen(chatId, threadId, messageId);
      return deps.inlet.accept(event);
    },
  };
}

/** Ask where the long connection is to be made; the credentials go along in the body. */
async function endpointOf({ api, settings }: Parts, signal: AbortSignal) {
  const json = { AppID: settings.appId, AppSecret: settings.appSecret.reveal() };
  const answer = await api.open({ method: "POST", path: "/callback/ws/endpoint", json, signal });
  if (!answer.ok) return faultOf(answer, REFUSING);
  const endpoint = EndpointShape.safeParse(answer.data).data;
  const url = endpoint?.URL ?? "";
  if (endpoint === undefined || !/^wss?:\/\//.test(url))
    return { code: "platform_error", message: "MSGF_DOMAIN does not answer as the platform does" } as const;
  const open = url.startsWith("ws:") && !isLoopback(url);
  if (open && !settings.insecure)
    return { code: "platform_error", message: "the platform names a connection that is not encrypted" } as const;
  return endpoint;
}

/** Codes by which the address of the connection is refused to this app. */
const REFUSING: ReadonlySet<number> = new Set([403, 514, 10_003, 10_014, 10_015]);
/** As many connections as an app may have are open. */
const TOO_MANY = 1_000_040_350;

/** Why the platform cannot be used. `refusing`: further codes that refuse the app. */
export function faultOf(
  { seen, code }: Exclude<Answer, { ok: true }>,
  refusing: ReadonlySet<number> = new Set(),
): AdapterFault {
  if (seen.saw !== "answer") return { code: "network", message: seen.error };
  if (seen.credential === true || (code !== undefined && refusing.has(code))) {
    return {
      code: "auth_failed",
      message: `MSGF_APP_ID and MSGF_APP_SECRET are refused: ${seen.error}; put those of the app into the home's .env`,
    };
  }
  if (code === TOO_MANY)
    return { code: "conflict", message: `too many programs are connected as this app: ${seen.error}` };
  return { code: "platform_error", message: seen.error };
}
