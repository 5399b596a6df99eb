import type { Store } from "../../../storage/store.js";
import { AppError } from "../../base/errors.js";
import type { Clock } from "../../base/time/clock.js";
import type { AppOptions } from "../../config/app-options.js";
import type { OpenHooks } from "../../contracts/gateway/listen.js";
import type { TargetPlace } from "../../contracts/gateway/targets.js";
import type { Gateway } from "../router/gateway.js";
import { GATEWAY } from "../settings/gateway-keys.js";
import { platformSettings, settingsSource } from "../settings/platform-settings.js";
import { createDirectory } from "../targets/directory.js";
import { homeOf, readHomeChannels } from "../targets/home-channels.js";
import { findTargets, type TargetBook, toPlatformTag } from "../targets/resolve-targets.js";
import { commentChat, createComments, type PostComment, type PullRequestComments } from "./pr-comments.js";
import { createRoutes, type Routes } from "./routes.js";
import { createWebhookServer, type WebhookServer } from "./webhook-server.js";
import { type Delivering, WEBHOOK_ACCOUNT } from "./webhook-target.js";

/** The routes of a home. */
export function routesOf(options: AppOptions, store: Store): Routes {
  const { config } = options;
  const settings = platformSettings("webhook", settingsSource(options));
  return createRoutes({
    store,
    configured: () => config.get(GATEWAY.webhookRoutes),
    secret: () => settings.text("SECRET"),
  });
}

export interface WebhookParts {
  readonly options: AppOptions;
  readonly store: Store;
  readonly gateway: Gateway;
  readonly hooks: OpenHooks;
  readonly clock: Clock;
}

/** The server of webhooks, in front of the gateway's inbox and outbox. */
export function buildWebhooks({ options, store, gateway, hooks, clock }: WebhookParts): WebhookServer {
  const { ids, log, config } = options;
  const connected = () => gateway.supervisor.connected();
  return createWebhookServer({
    store,
    clock,
    ids,
    hooks,
    inlet: gateway.inbox,
    outbox: gateway.outbox,
    comment: commentsBy(options),
    log: log.child("webhook"),
    routes: routesOf(options, store),
    settings: platformSettings("webhook", settingsSource(options)),
    connected: ({ platform, account }) => connected().some((one) => one.tag === platform && one.account === account),
    resendUnknown: () => config.get(GATEWAY.resendUnknown),
    delivering: (deliver, extra) => delivering(bookOf(options, store, gateway), gateway, { deliver, extra }),
  });
}

/** Names that targets are looked up in. */
export function bookOf(options: AppOptions, store: Store, gateway: Gateway | undefined): TargetBook {
  const { clock, log, config } = options;
  const source = settingsSource(options);
  const directory = createDirectory({ store, clock, log, connected: () => gateway?.supervisor.connected() ?? [] });
  const aliases = config.get(GATEWAY.aliases);
  const named =
    typeof aliases === "object" && aliases !== null
      ? Object.entries(aliases).map(([name, to]) => [name, String(to)] as const)
      : [];
  return {
    home: (platform) => homeOf(platform, source),
    homes: () => readHomeChannels(source),
    aliases: () => Object.fromEntries(named),
    channels: (platform) => directory.of(platform),
  };
}

interface Wanted {
  readonly deliver: string;
  readonly extra: Readonly<Record<string, string>>;
}

/** Whether answers go to a chat of a platform. */
export const deliversToChat = (deliver: string): boolean => deliver !== "log" && deliver !== "github_comment";

/** The target of a route as commands write it. */
export const targetText = (deliver: string, { chat_id: chat = "" }: Readonly<Record<string, string>>): string =>
  chat === "" ? deliver : [deliver, chat].join(":");

async function delivering(book: TargetBook, gateway: Gateway, { deliver, extra }: Wanted): Promise<Delivering> {
  if (deliver === "log") return { to: "log" };
  if (deliver === "github_comment") return comment(extra);
  const { thread_id: thread = "" } = extra;
  const text = targetText(deliver, extra);
  const place = onePlace(text, (await findTargets(text, book)).places);
  if (place === undefined) return { to: "log" };
  const adapter = gateway.supervisor.statuses().find(({ tag }) => tag === place.platform);
  if (adapter === undefined)
    throw new AppError("E_STATE", `${place.platform} is not configured`, { platform: place.platform });
  const { platform, chatId } = place;
  const threadId = thread === "" ? place.threadId : thread;
  return { to: "target", name: text, target: { platform, account: adapter.account, chatId, threadId, replyTo: null } };
}

/** What came in is answered in one place: the answer to its sender says what became of that. @throws E_INVALID */
function onePlace(deliver: string, places: readonly TargetPlace[]): TargetPlace | undefined {
  if (places.length > 1)
    throw new AppError("E_INVALID", `${deliver} matches ${places.length} chats: a webhook delivers to one`, {
      deliver,
    });
  return places[0];
}

function comment({ repo = "", pr_number: number = "" }: Wanted["extra"]): Delivering {
  if (!/^[\w.-]{1,100}\/[\w.-]{1,100}$/.test(repo) || !/^\d{1,10}$/.test(number)) {
    throw new AppError("E_INVALID", "a comment requires repo (owner/name) and pr_number in deliver_extra", {
      repo,
      number,
    });
  }
  const target = {
    platform: "webhook",
    account: WEBHOOK_ACCOUNT,
    chatId: commentChat({ repo, number }),
    threadId: null,
    replyTo: null,
  } as const;
  return { to: "comment", repo, number, target };
}

/** That a route can deliver there, as far as it can be known before an event. @throws AppError */
export async function checkTarget(
  book: TargetBook,
  deliver: string,
  extra: Readonly<Record<string, string>>,
): Promise<void> {
  if (deliver === "log" || toPlatformTag(deliver) !== undefined) return;
  if (deliver === "github_comment") {
    for (const key of ["repo", "pr_number"]) {
      if (extra[key] === undefined)
        throw new AppError("E_USAGE", `github_comment requires ${key} in --deliver-extra`, { key });
    }
    return;
  }
  onePlace(deliver, (await findTargets(deliver, book)).places);
}

/** Answers that are comments, posted with the tool of the settings. */
export const buildComments = (options: AppOptions): PullRequestComments =>
  createComments({ post: commentsBy(options), log: options.log.child("webhook") });

const OWN_VARIABLES = [
  "PATH",
  "HOME",
  "GH_TOKEN",
  "GITHUB_TOKEN",
  "GH_HOST",
  "GH_CONFIG_DIR",
  "XDG_CONFIG_HOME",
  "LANG",
] as const;
const COMMENT_MS = 30_000;
const SAID_CHARS = 500;

/** Post comments with the tool of the platform, as the user of this machine who is logged in there. */
function commentsBy({ spawner, clock, env, home }: AppOptions): PostComment {
  return async ({ repo, number }, text) => {
    const own = OWN_VARIABLES.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name] ?? ""] as const]));
    const child = await spawner.spawn({
      file: "gh",
      args: ["pr", "comment", number, "--repo", repo, "--body-file", "-"],
      cwd: home.dir,
      env: Object.fromEntries(own),
      stdin: "pipe",
      stdout: "ignore",
      stderr: "pipe",
      endsWithOwner: true,
    });
    let said = "";
    child.onOutput((chunk) => {
      said = (said + chunk.toString()).slice(0, SAID_CHARS);
    });
    child.write(text);
    child.closeInput();
    const cancel = clock.after(COMMENT_MS, () => void spawner.signal({ group: child.pid }, "SIGKILL"));
    const { code } = await child.exited.finally(cancel);
    if (code !== 0)
      throw new AppError("E_STATE", `gh pr comment exited with ${code ?? "a signal"}: ${said.trim()}`, {
        repo,
        number,
      });
  };
}
