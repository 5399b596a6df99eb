import type { HookListener } from "../../../lib/contracts/gateway/listen.js";
import type { AdapterFault, Platform } from "../../../lib/contracts/gateway/platform.js";
import { capsOf } from "../../../lib/contracts/gateway/platform-traits.js";
import type { PlatformPorts } from "../../../lib/gateway/adapter/define-platform.js";
import { clientTokens } from "../common/client-token.js";
import { createApi } from "./api.js";
import { createCallers } from "./caller.js";
import { joseOr, type LoadJose, loadJose } from "./library.js";
import { fetchMedia, type MediaParts } from "./media.js";
import { placeOf } from "./normalise.js";
import { createPlaces, type Places } from "./places.js";
import { receiveRoutes } from "./receive.js";
import { placeFor, type SendParts, sendRow } from "./send.js";
import { accountOf, type MsgwSettings, readMsgwSettings } from "./settings.js";
import { ConversationMembersShape } from "./wire.js";

export interface MsgwDeps extends Omit<PlatformPorts, "chance" | "home" | "ids"> {
  /** Default: the installed package. */
  readonly library?: LoadJose;
}

const TYPING_MS = 1500;
const SCOPE = "https://api.botframework.com/.default";

/** The adapter of MSGW: activities on a listener of its own, answers to the connector (gateway part, 16.6). Making it checks nothing; `connect` says what is wrong. */
export function createMsgw(deps: MsgwDeps): Platform {
  const account = accountOf(deps);
  const read = readMsgwSettings(deps);
  const common = { tag: "msgw", account, caps: capsOf("msgw"), format: (text: string) => text } as const;
  if ("problem" in read) {
    const refusal = { result: "refused", error: read.problem, retryable: true } as const;
    const fault = { connected: false, code: "config_invalid", message: read.problem } as const;
    return { ...common, connect: async () => fault, disconnect: async () => undefined, send: async () => refusal };
  }
  const { settings } = read;
  const tokens = tokensOf(settings, deps);
  const places = createPlaces(deps.inlet, { platform: "msgw", account });
  const send: SendParts = { api: createApi({ ...deps, settings, tokens }), places, settings };
  const media: MediaParts = { ...deps, settings, tokens };
  let listener: HookListener | undefined;
  const disconnect = async () => {
    const ending = listener;
    listener = undefined;
    await ending?.close();
  };
  return {
    ...common,
    disconnect,
    connect: async (_reports, signal) => {
      await disconnect();
      const found = await tokens?.get(signal, true);
      if (found?.found === "none") {
        const refused = found.seen.saw === "answer" && found.seen.credential === true;
        return { connected: false, code: refused ? "auth_failed" : "network", message: found.seen.error };
      }
      const opened = await open(deps, settings, places);
      if ("code" in opened) return { connected: false, ...opened };
      listener = opened;
      if (!signal.aborted) return { connected: true, listen: opened.address };
      await disconnect();
      return { connected: false, code: "timeout", message: "the connect was stopped" };
    },
    send: (row, signal) => sendRow(send, row, signal),
    edit: async (chatId, messageId, text, { final, signal }) => {
      const payload = { text, format: final ? "markdown" : "plain", silent: true, messageId } as const;
      const target = { platform: "msgw", account, ...placeOf(chatId), replyTo: null } as const;
      return sendRow(
        send,
        { id: "", kind: "answer", via: "edit", target, payload, idemKey: "", repeat: false },
        signal,
      );
    },
    typing: async (chatId, on, signal) => {
      if (!on) return; // it ends by itself, or with the next message
      const { serviceUrl, path } = await placeFor(send, placeOf(chatId));
      await send.api.call({ method: "POST", serviceUrl, path, json: { type: "typing" }, totalMs: TYPING_MS, signal });
    },
    fetchMedia: (one, signal) => fetchMedia(media, one, signal),
    chatInfo: async (chatId, signal) => {
      const { serviceUrl } = await placeFor(send, placeOf(chatId));
      const answer = await send.api.call({
        method: "GET",
        serviceUrl,
        path: `/v3/conversations/${encodeURIComponent(chatId)}`,
        signal,
      });
      const name = answer.ok ? ConversationMembersShape.safeParse(answer.result).data?.name : undefined;
      return name === undefined ? undefined : { chatId, name, type: "group" };
    },
  };
}

/** Tokens for the connector; undefined without a client, which only the development switch allows. */
export function tokensOf({ client, loginBase }: MsgwSettings, deps: Pick<MsgwDeps, "net" | "clock">) {
  if (client === undefined) return undefined;
  const { id, secret, tenant } = client;
  const url = `${loginBase}/${tenant}/oauth2/v2.0/token`;
  const refused =
    "the platform refuses MSGW_CLIENT_ID and MSGW_CLIENT_SECRET: put a secret that is valid now into the home's .env";
  return clientTokens({ url, id, secret, scope: SCOPE, refused }, deps);
}

async function open(deps: MsgwDeps, settings: MsgwSettings, places: Places): Promise<HookListener | AdapterFault> {
  const { inlet, hooks, log, clock, net } = deps;
  const library = await joseOr(deps.library ?? loadJose);
  if ("code" in library) return library;
  const { client, dev, host, port } = settings;
  if (dev)
    log.warning("MSGW_DEV_UNAUTHENTICATED is on: activities of this machine are taken without a token", {
      tag: "msgw",
    });
  const callers = client && createCallers({ settings, audience: client.id, net, clock, jose: library.jose });
  const { at: connectedAt } = await inlet.connected({ platform: "msgw", account: settings.account });
  return hooks({
    owner: "msgw",
    host,
    port,
    portSetting: "MSGW_PORT",
    routes: receiveRoutes({ settings, inlet, clock, log, callers, places, connectedAt }),
  });
}
