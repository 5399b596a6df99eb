import { toAppError } from "../../../lib/base/errors.js";
import type { AdapterEvents, AdapterFault, Connected, Platform } from "../../../lib/contracts/gateway/platform.js";
import { capsOf } from "../../../lib/contracts/gateway/platform-traits.js";
import type { PlatformPorts } from "../../../lib/gateway/adapter/define-platform.js";
import { insecureOf } from "../common/addresses.js";
import { type Api, createApi, type Refusal } from "./api.js";
import { chatAids } from "./chats.js";
import { type Library, type LoadLibrary, libraryOr, loadLibrary } from "./library.js";
import { toMarkdownV2 } from "./markdown.js";
import { fetchMedia } from "./media.js";
import { createObserved, type Observed } from "./observed.js";
import { ALLOWED_UPDATES, CURSOR, POLL_MS, pollUpdates, REFUSED_TOKEN } from "./poll.js";
import { sideSigns } from "./reactions.js";
import { editText, type SendParts, sendRow } from "./send.js";
import { accountOf, type MsgtSettings, readMsgtSettings, type WebhookSettings } from "./settings.js";
import { directTopics } from "./topics.js";
import { listenForUpdates } from "./webhook.js";
import { type Me, MeShape } from "./wire.js";

export interface MsgtDeps
  extends Pick<PlatformPorts, "settings" | "others" | "inlet" | "net" | "clock" | "log" | "hooks"> {
  /** Commands that the platform offers while one is typed. */
  readonly commands?: readonly ChatCommand[];
}

export interface ChatCommand {
  readonly name: string;
  readonly description: string;
}

/** One connection, from `connect` to `disconnect`. */
interface Life {
  readonly control: AbortController;
  /** Resolves when nothing of it runs any more. */
  readonly over: Promise<unknown>;
}

/** The adapter of MSGT: the Bot API by long polls or webhook (gateway part, 16.1). Making it checks nothing; `connect` says what is wrong. */
export function createMsgt(deps: MsgtDeps, load: LoadLibrary = loadLibrary): Platform {
  const account = accountOf(deps.settings);
  const read = readMsgtSettings(deps.settings, insecureOf(deps.others));
  const common = { tag: "msgt", account, caps: capsOf("msgt"), format: toMarkdownV2 } as const;
  if ("problem" in read) {
    const refusal = { result: "refused", error: read.problem, retryable: true } as const;
    const fault = { connected: false, code: "config_invalid", message: read.problem } as const;
    return { ...common, connect: async () => fault, disconnect: async () => undefined, send: async () => refusal };
  }
  const { settings } = read;
  const observed = settings.groups.observes ? createObserved() : undefined;
  let library: Library | undefined;
  const api = createApi(settings, { net: deps.net, library: () => library });
  const parts: SendParts = { api, settings, moved: new Map(), rich: { on: settings.richMessages } };
  let life: Life | undefined;
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
      const loaded = await libraryOr(load);
      if ("code" in loaded) return { connected: false, ...loaded };
      library = loaded.library;
      const begun = await prepare(api, settings, deps, signal);
      if ("code" in begun) return { connected: false, ...begun };
      if (signal.aborted) return { connected: false, code: "timeout", message: "the connect was stopped" };
      const receiving = { api, settings, deps, reports, observed };
      if (settings.webhook === undefined) {
        life = receive(receiving, begun);
        return { connected: true, pollTimeoutMs: POLL_MS } satisfies Connected;
      }
      const listening = await listen(receiving, settings.webhook, { begun, signal });
      if ("code" in listening) return { connected: false, ...listening };
      life = listening;
      return { connected: true, listen: listening.address } satisfies Connected;
    },
    disconnect,
    prepareSend: async () => {
      const loaded = await libraryOr(load);
      if ("code" in loaded) return loaded;
      library = loaded.library;
      return undefined;
    },
    send: (row, signal) => sendRow(parts, row, signal),
    edit: (chatId, messageId, text, { final, signal }) => {
      const cut = text.slice(0, cutAt(text, capsOf("msgt").textMax));
      return editText(parts, { chatId, messageId, text: cut, markdown: final, extra: {} }, signal);
    },
    fetchMedia: (media, signal) => fetchMedia({ api, settings }, media, signal),
    ...chatAids(api),
    ...sideSigns(api, settings),
    topics: directTopics(api, settings),
  };
}

/** At most so many code units, and no half of a pair. */
function cutAt(text: string, max: number): number {
  return text.length > max && /[\uD800-\uDBFF]/.test(text[max - 1] ?? "") ? max - 1 : max;
}

interface Begun {
  readonly me: Me;
  readonly connectedAt: number;
  readonly cursor: string | undefined;
}

/** What comes before the first poll. */
async function prepare(
  api: Api,
  settings: MsgtSettings,
  { inlet }: MsgtDeps,
  signal: AbortSignal,
): Promise<Begun | AdapterFault> {
  const answer = await api.call("getMe", {}, { signal });
  if (!answer.ok) return faultOf(answer.seen, true);
  const me = MeShape.safeParse(answer.result).data;
  if (me === undefined)
    return { code: "platform_error", message: "MSGT_API_BASE does not answer as the platform does" };
  // A webhook that is set would keep every poll from working.
  const removed =
    settings.webhook === undefined
      ? await api.call("deleteWebhook", { drop_pending_updates: false }, { signal })
      : undefined;
  if (removed?.ok === false) return faultOf(removed.seen, false);
  const account = { platform: "msgt", account: settings.account } as const;
  const { at } = await inlet.connected(account);
  return { me, connectedAt: at, cursor: await inlet.cursor(account, CURSOR) };
}

/** Why the platform cannot be used. `first`: nothing has worked with this token yet. */
export function faultOf(seen: Refusal, first: boolean): AdapterFault {
  if (seen.saw !== "answer") return { code: "network", message: seen.error };
  if (seen.status === 401 || (first && seen.status === 404)) return { code: "auth_failed", message: REFUSED_TOKEN };
  return { code: "platform_error", message: seen.error };
}

interface Receiving {
  readonly api: Api;
  readonly settings: MsgtSettings;
  readonly deps: MsgtDeps;
  readonly reports: AdapterEvents;
  readonly observed: Observed | undefined;
}

function receive({ api, settings, deps, reports, observed }: Receiving, { me, connectedAt, cursor }: Begun): Life {
  const control = new AbortController();
  const { signal } = control;
  const polling = async () => {
    try {
      const fault = await pollUpdates({ ...deps, api, settings, reports, me, connectedAt, observed }, cursor, signal);
      if (fault !== undefined) reports.lost(fault);
    } catch (error) {
      if (!signal.aborted) reports.lost({ code: "platform_error", message: toAppError(error).message });
    }
  };
  return { control, over: Promise.all([polling(), offerCommands(api, deps, signal)]) };
}

interface Listening extends Life {
  readonly address: string;
}

/** Listen first, then tell the platform where: nothing that it sends finds the door closed. */
async function listen(
  { api, settings, deps, observed }: Receiving,
  webhook: WebhookSettings,
  { begun, signal }: { readonly begun: Begun; readonly signal: AbortSignal },
): Promise<Listening | AdapterFault> {
  const listener = await listenForUpdates(
    { ...deps, settings, observed, me: begun.me, connectedAt: begun.connectedAt },
    webhook,
  );
  if ("code" in listener) return listener;
  const params = {
    url: webhook.url,
    secret_token: webhook.secret.reveal(),
    allowed_updates: ALLOWED_UPDATES,
    drop_pending_updates: false,
  };
  const told = await api.call("setWebhook", params, { signal });
  if (!told.ok) {
    await listener.close();
    return faultOf(told.seen, false);
  }
  const control = new AbortController();
  const closed = new Promise<void>((resolve, reject) => {
    control.signal.addEventListener("abort", () => listener.close().then(resolve, reject), { once: true });
  });
  return { control, over: Promise.all([closed, offerCommands(api, deps, control.signal)]), address: listener.address };
}

const SCOPES = ["default", "all_private_chats", "all_group_chats"] as const;
const COMMANDS = 100;

/** Nothing depends on whether this works (gateway part, 3.11). */
async function offerCommands(api: Api, { commands = [], log }: MsgtDeps, signal: AbortSignal): Promise<void> {
  const offered = commands
    .map(({ name, description }) => ({ command: name.replaceAll("-", "_"), description: description.slice(0, 256) }))
    .filter(({ command, description }) => /^[a-z0-9_]{1,32}$/.test(command) && description !== "")
    .slice(0, COMMANDS);
  if (offered.length === 0) return;
  for (const type of SCOPES) {
    const answer = await api.call("setMyCommands", { commands: offered, scope: { type } }, { signal });
    if (answer.ok || signal.aborted) continue;
    log.warning("the platform does not take the list of commands", { tag: "msgt", error: answer.seen.error });
    return;
  }
}
