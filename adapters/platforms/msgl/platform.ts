import type { HookListener } from "../../../lib/contracts/gateway/listen.js";
import type { AdapterFault, Connected, Platform } from "../../../lib/contracts/gateway/platform.js";
import { capsOf } from "../../../lib/contracts/gateway/platform-traits.js";
import type { PlatformPorts } from "../../../lib/gateway/adapter/define-platform.js";
import { toPlain } from "../../../lib/gateway/text/bubbles.js";
import { type Api, createApi, type Refusal } from "./api.js";
import { type LoadLibrary, libraryOr, loadLibrary } from "./library.js";
import { fetchMedia } from "./media.js";
import { createPushed } from "./pushed.js";
import { receiveRoutes } from "./receive.js";
import { type SendParts, sendRow } from "./send.js";
import { createServed, type ServedFiles } from "./served.js";
import { accountOf, type MsglSettings, readMsglSettings } from "./settings.js";
import { InfoShape } from "./wire.js";

export interface MsglDeps extends PlatformPorts {
  readonly library?: LoadLibrary;
}

/** A reply and, after it was refused, a push. */
const SEND_MS = 35_000;
/** The platform shows it for 60 s. */
const LOADING_EVERY_MS = 55_000;

interface Life {
  readonly api: Api;
  /** Absent where it only sends. */
  readonly listener?: HookListener;
  readonly parts: SendParts;
  /** Chats for which the sign was asked, and when. */
  readonly loading: Map<string, number>;
}

/** The adapter of MSGL: a webhook of its own, replies and pushes (gateway part, 16.3). Making it checks nothing; `connect` says what is wrong. */
export function createMsgl(deps: MsglDeps): Platform {
  const account = accountOf(deps.settings);
  const read = readMsglSettings(deps.settings, () => deps.others("gateway").flag("ALLOW_INSECURE_API_BASE", false));
  const common = { tag: "msgl", account, caps: capsOf("msgl"), format: toPlain, sendTimeoutMs: SEND_MS } as const;
  if ("problem" in read) {
    const refusal = { result: "refused", error: read.problem, retryable: true } as const;
    const fault = { connected: false, code: "config_invalid", message: read.problem } as const;
    return { ...common, connect: async () => fault, disconnect: async () => undefined, send: async () => refusal };
  }
  const { settings } = read;
  const served = createServed({ ...deps, account });
  let life: Life | undefined;
  const disconnect = async () => {
    const ending = life;
    life = undefined;
    await ending?.listener?.close();
  };
  return {
    ...common,
    connect: async (_reports, signal) => {
      await disconnect();
      const begun = await begin({ deps, settings, served }, signal);
      if ("code" in begun) return { connected: false, ...begun };
      if (signal.aborted) {
        await begun.listener?.close();
        return { connected: false, code: "timeout", message: "the connect was stopped" };
      }
      life = begun;
      return {
        connected: true,
        ...(begun.listener === undefined ? {} : { listen: begun.listener.address }),
      } satisfies Connected;
    },
    disconnect,
    prepareSend: async () => {
      const library = await libraryOr(deps.library ?? loadLibrary);
      if ("code" in library) return library;
      life = sendingLife({ deps, settings, served }, createApi(library, settings, deps.net));
      return undefined;
    },
    send: async (row, signal) =>
      life === undefined
        ? { result: "refused", error: "not connected", retryable: true }
        : sendRow(life.parts, row, signal),
    fetchMedia: async (media, signal) => {
      if (life === undefined) throw new Error("not connected");
      return fetchMedia(life.api, deps.net, media, signal);
    },
    typing: async (chatId, on, signal) => {
      if (life !== undefined) await load(life, deps, { chatId, on, signal });
    },
  };
}

interface Beginning {
  readonly deps: MsglDeps;
  readonly settings: MsglSettings;
  readonly served: ServedFiles;
}

async function begin({ deps, settings, served }: Beginning, signal: AbortSignal): Promise<Life | AdapterFault> {
  const library = await libraryOr(deps.library ?? loadLibrary);
  if ("code" in library) return library;
  const api = createApi(library, settings, deps.net);
  const answer = await api.info(signal);
  if (!answer.ok) return faultOf(answer.seen);
  const me = InfoShape.safeParse(answer.body).data;
  if (me === undefined)
    return { code: "platform_error", message: "MSGL_API_BASE does not answer as the platform does" };
  const { inlet, clock, log, hooks } = deps;
  const { at } = await inlet.connected({ platform: "msgl", account: settings.account });
  const listener = await hooks({
    owner: "msgl",
    host: settings.host,
    port: settings.port,
    portSetting: "MSGL_PORT",
    routes: [...receiveRoutes({ settings, inlet, clock, log, me: me.userId, connectedAt: at }), served.route],
  });
  if ("code" in listener) return listener;
  return { ...sendingLife({ deps, settings, served }, api), listener };
}

function sendingLife({ deps: { inlet, clock }, settings: { publicUrl, account }, served }: Beginning, api: Api): Life {
  const pushed = createPushed(inlet, { platform: "msgl", account });
  return { api, parts: { api, clock, served, publicUrl, pushed }, loading: new Map() };
}

/** Why the platform cannot be used. */
export function faultOf(seen: Refusal): AdapterFault {
  if (seen.saw !== "answer") return { code: "network", message: seen.error };
  if (seen.status === 401) {
    return {
      code: "auth_failed",
      message: "the platform refuses MSGL_CHANNEL_ACCESS_TOKEN: issue a new one for the channel",
    };
  }
  return { code: "platform_error", message: seen.error };
}

interface Loading {
  readonly chatId: string;
  readonly on: boolean;
  readonly signal: AbortSignal;
}

/** The sign of typing, in chats with one person alone. An answer takes it away by itself. */
async function load({ loading, api }: Life, { clock }: MsglDeps, { chatId, on, signal }: Loading): Promise<void> {
  const now = clock.now();
  for (const [chat, at] of loading) if (now - at >= LOADING_EVERY_MS || now < at) loading.delete(chat);
  if (!on) loading.delete(chatId);
  if (!on || !chatId.startsWith("U") || loading.has(chatId)) return;
  loading.set(chatId, now);
  await api.loading(chatId, signal);
}
