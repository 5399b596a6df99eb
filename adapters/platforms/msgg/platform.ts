import { toAppError } from "../../../lib/base/errors.js";
import type { AdapterEvents, AdapterFault, ChatInfo, Platform } from "../../../lib/contracts/gateway/platform.js";
import { capsOf } from "../../../lib/contracts/gateway/platform-traits.js";
import type { CheckPorts, CredentialCheck, PlatformPorts } from "../../../lib/gateway/adapter/define-platform.js";
import { type Api, createApi } from "./api.js";
import { type BotTokens, botTokens, readAccount, type ServiceAccount } from "./credentials.js";
import { createGrants } from "./grants.js";
import { type ClientConfig, loadLibrary, type MsggLibrary, missing, type PubSub } from "./library.js";
import { toChat } from "./markdown.js";
import { fetchMedia } from "./media.js";
import { create, ended, patch } from "./messages.js";
import { isDirect } from "./normalise.js";
import { missingSubscription, type Pull, type PullParts, startPull } from "./pull.js";
import { type SendParts, sendRow } from "./send.js";
import { accountOf, type MsggSettings, readMsggSettings } from "./settings.js";
import { SETUP_FILES, setupFiles } from "./setup-files.js";
import { createUserFiles } from "./upload.js";
import { SpaceShape, SpacesShape } from "./wire.js";

export interface MsggDeps extends Omit<PlatformPorts, "hooks" | "chance"> {
  /** Default: the installed packages. */
  readonly load?: () => Promise<MsggLibrary>;
  readonly backoff?: PullParts["backoff"];
}

/** One connection, from `connect` to `disconnect`. */
interface Life {
  readonly client: PubSub;
  readonly pull: Pull | undefined;
}

/** What is there once credentials and library are. */
interface Tools {
  readonly send: SendParts;
  readonly library: MsggLibrary;
  readonly tokens: BotTokens;
  readonly account: ServiceAccount | undefined;
}

const THINKING = "⏳ The agent is thinking…";
const PLACEHOLDER_MS = 5000;
const BACKOFF = { firstMs: 2000, longestMs: 120_000 };
const UNREADY = { result: "refused", error: "MSGG is not connected", retryable: true } as const;

/** The adapter of MSGG: events by streaming pull, messages by REST (gateway part, 16.5). Making it checks nothing; `connect` says what is wrong. */
export function createMsgg(deps: MsggDeps): Platform {
  const account = accountOf(deps);
  const read = readMsggSettings(deps);
  const common = { tag: "msgg", account, caps: capsOf("msgg"), format: toChat } as const;
  if ("problem" in read) {
    const refusal = { result: "refused", error: read.problem, retryable: true } as const;
    const fault = { connected: false, code: "config_invalid", message: read.problem } as const;
    return { ...common, connect: async () => fault, disconnect: async () => undefined, send: async () => refusal };
  }
  const { settings } = read;
  const grants = createGrants({ ...deps, settings });
  const sendParts = (tokens: BotTokens): SendParts => {
    const api = createApi(settings.apiBase, tokens, deps);
    return { api, files: createUserFiles(api, grants) };
  };
  let tools: Tools | undefined;
  let life: Life | undefined;
  /** What sends, once the platform gives a token for it. */
  const ready = async (signal: AbortSignal): Promise<Tools | AdapterFault> => {
    const found = tools ?? (await prepare(deps, settings));
    if ("code" in found) return found;
    const made = tools ?? { ...found, send: sendParts(found.tokens) };
    tools = made;
    return (await checkChat(made, signal)) ?? made;
  };
  const disconnect = async () => {
    const ending = life;
    life = undefined;
    await ending?.pull?.stop();
    await ending?.client.close();
  };
  return {
    ...common,
    disconnect,
    connect: async (reports, signal) => {
      await disconnect();
      const made = await ready(signal);
      if ("code" in made) return { connected: false, ...made };
      const client = clientOf(settings, made);
      life = { client, pull: undefined };
      const pull = await pulled({ deps, settings, library: made.library, reports }, client, signal);
      if ("code" in pull) {
        await disconnect();
        return { connected: false, ...pull };
      }
      life = { client, pull };
      return { connected: true };
    },
    prepareSend: async (signal) => {
      const made = await ready(signal);
      return "code" in made ? made : undefined;
    },
    send: async (row, signal) => (tools === undefined ? UNREADY : sendRow(tools.send, row, signal)),
    ...liveText(() => tools?.send.api),
    fetchMedia: async (media, signal) => {
      if (tools === undefined) throw new Error(UNREADY.error);
      return fetchMedia({ api: tools.send.api, net: deps.net, apiBase: settings.apiBase }, media, signal);
    },
    commands: [SETUP_FILES],
    command: (event, _, signal) => setupFiles(grants, event, signal),
    chatInfo: async (chatId, signal) => (tools === undefined ? undefined : spaceOf(tools.send.api, chatId, signal)),
    listChannels: async (signal) => {
      const found = tools === undefined ? [] : await spacesOf(tools.send.api, signal);
      const missed = settings.spaces.filter((name) => found.every(({ chatId }) => chatId !== name));
      return [...found, ...missed.map((name) => ({ chatId: name, name, type: "group" }))];
    },
  };
}

/** Text that is shown before the answer is whole. */
const liveText = (api: () => Api | undefined): Required<Pick<Platform, "placeholder" | "edit">> => ({
  placeholder: async (target, key, signal) => {
    const used = api();
    if (used === undefined) return UNREADY;
    return ended(await create(used, target, { text: THINKING, key, totalMs: PLACEHOLDER_MS }, signal));
  },
  edit: async (_, messageId, text, { final, signal }) => {
    const used = api();
    return used === undefined ? UNREADY : ended(await patch(used, messageId, final ? toChat(text) : text, signal));
  },
});

async function prepare(
  deps: Pick<MsggDeps, "net" | "clock" | "load">,
  settings: MsggSettings,
): Promise<Omit<Tools, "send"> | AdapterFault> {
  const account = await readAccount(settings);
  if (account !== undefined && "problem" in account) return { code: "config_invalid", message: account.problem };
  try {
    const library = await (deps.load ?? loadLibrary)();
    const tokens = botTokens(account, settings.open, { ...deps, library });
    return { library, tokens, account };
  } catch (error) {
    return missing(error);
  }
}

/** Ask for a token for chat calls, and for the subscription. Nothing is received. */
export async function checkMsgg(ports: CheckPorts): Promise<CredentialCheck> {
  const read = readMsggSettings(ports);
  if ("problem" in read) return { code: "config_invalid", message: read.problem };
  const { settings } = read;
  const tools = await prepare(ports, settings);
  if ("code" in tools) return tools;
  const unusable = await checkChat(tools, ports.signal);
  if (unusable !== undefined) return unusable;
  const client = clientOf(settings, tools);
  try {
    const fault = await missingSubscription(client.subscription(settings.subscription), settings);
    return fault ?? { account: tools.account?.email ?? settings.subscription };
  } finally {
    await client.close();
  }
}

/** That there is a token for chat calls. With a subscription alone every answer would wait for ever. */
async function checkChat({ tokens }: Pick<Tools, "tokens">, signal: AbortSignal): Promise<AdapterFault | undefined> {
  const found = await tokens.get(signal);
  if (found.found !== "none") return undefined;
  const refused = found.seen.saw === "answer" && found.seen.credential === true;
  return { code: refused ? "auth_failed" : "network", message: found.seen.error };
}

/** With an emulator there is neither TLS nor a credential; otherwise the library is given our tokens, or finds what the machine offers. */
function clientOf({ project, emulator }: MsggSettings, { account, library, tokens }: Omit<Tools, "send">): PubSub {
  const authClient = new library.OAuth2Client();
  authClient.refreshHandler = async () => {
    const found = await tokens.get(new AbortController().signal);
    if (found.found === "token") return { access_token: found.token.reveal(), expiry_date: found.expiresAt };
    throw new Error(found.found === "none" ? found.seen.error : "missing credentials");
  };
  // Only optional fields of the library's own client are typed apart here and where it takes one.
  const given = authClient as unknown as NonNullable<ClientConfig["authClient"]>;
  if (emulator !== undefined)
    return new library.PubSub({ projectId: project, apiEndpoint: emulator, emulatorMode: true, authClient: given });
  return new library.PubSub({ projectId: project, ...(account === undefined ? {} : { authClient: given }) });
}

interface Pulling {
  readonly deps: MsggDeps;
  readonly settings: MsggSettings;
  readonly library: MsggLibrary;
  readonly reports: AdapterEvents;
}

async function pulled({ deps, ...rest }: Pulling, client: PubSub, signal: AbortSignal): Promise<Pull | AdapterFault> {
  try {
    return await startPull({ ...deps, ...rest, backoff: deps.backoff ?? BACKOFF }, client, signal);
  } catch (error) {
    return { code: "platform_error", message: toAppError(error).message };
  }
}

async function spaceOf(api: Api, chatId: string, signal: AbortSignal): Promise<ChatInfo | undefined> {
  const path = /^spaces\/[\w-]+$/.test(chatId) ? `/v1/${chatId}` : undefined;
  const answer = path === undefined ? undefined : await api.call({ method: "GET", path, signal });
  const space = answer?.ok === true ? SpaceShape.safeParse(answer.result).data : undefined;
  return space && { chatId: space.name, name: space.displayName ?? space.name, type: isDirect(space) ? "dm" : "group" };
}

const PAGES = 20;

async function spacesOf(api: Api, signal: AbortSignal): Promise<readonly ChatInfo[]> {
  const found: ChatInfo[] = [];
  let page = "";
  for (let count = 0; count < PAGES; count++) {
    const answer = await api.call({
      method: "GET",
      path: `/v1/spaces?pageSize=100&pageToken=${encodeURIComponent(page)}`,
      signal,
    });
    const read = answer.ok ? SpacesShape.safeParse(answer.result).data : undefined;
    for (const space of read?.spaces ?? []) {
      found.push({ chatId: space.name, name: space.displayName ?? space.name, type: isDirect(space) ? "dm" : "group" });
    }
    page = read?.nextPageToken ?? "";
    if (page === "") break;
  }
  return found;
}
