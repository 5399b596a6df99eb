import type { Store } from "../../../storage/store.js";
import { toAppError } from "../../base/errors.js";
import type { EpochMs, Ms } from "../../base/units.js";
import type { AppOptions } from "../../config/app-options.js";
import type { ChatOrigin } from "../../contracts/board/notify.js";
import type { Inbound, PlatformTag } from "../../contracts/board/platform-tag.js";
import type { EndReason } from "../../contracts/gateway/life.js";
import type { NewSend, SendTarget } from "../../contracts/gateway/outbox.js";
import type { AdapterStatus } from "../../contracts/gateway/platform.js";
import { traitsOf } from "../../contracts/gateway/platform-traits.js";
import { eventOf } from "../inbox/batches.js";
import { insertDrafts } from "../outbox/outbox.js";
import { laneOf } from "../outbox/send-lanes.js";
import type { Gateway } from "../router/gateway.js";
import { platformSettings, type SettingsSource } from "../settings/platform-settings.js";
import { toSendTarget } from "../targets/event-target.js";
import { readableHomes } from "../targets/home-channels.js";
import { type LifeRecords, noteTold } from "./lifecycle-records.js";

export interface NoticeDeps {
  readonly options: Pick<AppOptions, "clock" | "log" | "ids">;
  readonly store: Store;
  readonly gateway: Gateway;
  readonly source: SettingsSource;
  readonly records: LifeRecords;
}

/** Notices to chats about the gateway itself (gateway part, 3.7, 3.8, 3.11). None of it ever fails: it is logged. */
export interface Notices {
  /** It stops or restarts: chats with a running turn and home channels are notified, the chat that asked is not. */
  ending(why: EndReason, asker: ChatOrigin | undefined): Promise<void>;
  /** A message came while it ends: its chat is notified once. */
  held(event: Inbound): Promise<void>;
  /** It is back: the chat that asked is notified, and home channels, not too often. */
  online(): Promise<void>;
  /** An adapter is given up: the home channel of another platform is notified. */
  fatal(status: AdapterStatus): Promise<void>;
}

/** Least time between two notices to a home channel that the gateway is back. */
const ONLINE_EVERY_MS: Ms = 600_000;

const ENDING = {
  restart: "🔄 The gateway restarts. Interrupted turns resume automatically afterwards.",
  stop: "⏹ The gateway stops. Messages are kept until it runs again.",
} as const;
const HELD = {
  restart: "⏳ The gateway restarts: this is answered when it is back.",
  stop: "⏳ The gateway stops: this is kept, and answered when it runs again.",
} as const;
const ONLINE = "✅ The gateway is online again.";

const wordsOf = (why: EndReason): keyof typeof ENDING => (why === "restart" || why === "handover" ? "restart" : "stop");

export function createNotices(deps: NoticeDeps): Notices {
  const { options, gateway } = deps;
  /** Names the present notice, so that no chat gets it twice. */
  const round = options.ids.hex(6);
  let ending: EndReason | undefined;
  const surely = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      options.log.warning("failed to notify chats about the gateway", { error: toAppError(error).message });
    }
  };
  return {
    ending: (why, asker) =>
      surely(async () => {
        ending = why;
        if (why === "handover") return;
        const asking = asker === undefined ? undefined : laneOf(asked(deps, asker));
        const lanes = new Map([...(await running(deps)), ...homes(deps)].map((target) => [laneOf(target), target]));
        if (asking !== undefined) lanes.delete(asking);
        await gateway.outbox.insert(
          [...lanes].map(([lane, target]) => notice(target, ENDING[wordsOf(why)], `ending:${round}:${lane}`)),
        );
      }),
    held: (event) =>
      surely(async () => {
        const target = toSendTarget(event);
        if (ending === undefined || target === undefined) return;
        const to = { ...target, replyTo: null };
        await gateway.outbox.insert([notice(to, HELD[wordsOf(ending)], `held:${round}:${laneOf(to)}`)]);
      }),
    online: () => surely(() => online(deps, round)),
    fatal: (status) =>
      surely(async () => {
        const to = another(deps, status.tag);
        const text = `⚠️ ${status.tag} is not connected (${status.error_code}): ${status.error_message}`;
        if (to !== undefined)
          await gateway.outbox.insert([notice(to, text, `fatal:${round}:${status.tag}:${status.updated_at}`)]);
      }),
  };
}

const notice = (target: SendTarget, text: string, sourceKey: string): NewSend => ({
  kind: "notice",
  target,
  sourceKey,
  payload: { text, format: "plain", silent: false },
});

async function online(deps: NoticeDeps, round: string): Promise<void> {
  const { options, records, gateway, store } = deps;
  const now = options.clock.now();
  const asker = await records.asker();
  const before = await records.told();
  const recent = Object.entries(before).filter(([, at]) => at <= now && now - at < ONLINE_EVERY_MS);
  const targets = new Map<string, SendTarget>();
  if (asker !== undefined) targets.set(laneOf(asked(deps, asker)), asked(deps, asker));
  const told: Record<string, EpochMs> = Object.fromEntries(recent);
  for (const home of homes(deps)) {
    const lane = laneOf(home);
    if (told[lane] !== undefined || targets.has(lane)) continue;
    targets.set(lane, home);
  }
  for (const lane of targets.keys()) told[lane] = now;
  const rows = gateway.outbox.drafts(
    [...targets].map(([lane, target]) => notice(target, ONLINE, `online:${round}:${lane}`)),
  );
  if (rows.length === 0) return;
  await store.write("gateway.online", async (tx) => {
    await insertDrafts(tx, rows);
    await noteTold(tx, told, now);
  });
  gateway.outbox.wake();
}

const accountOf = ({ gateway }: NoticeDeps, tag: string): string =>
  gateway.supervisor.statuses().find((one) => one.tag === tag)?.account ?? "unknown";

function asked(deps: NoticeDeps, { platform, chat_id: chatId, thread_id }: ChatOrigin): SendTarget {
  const tag = platform as PlatformTag; // only platforms ask
  return { platform: tag, account: accountOf(deps, tag), chatId, threadId: thread_id ?? null, replyTo: null };
}

/** Chats whose turn runs and that want to know. */
async function running(deps: NoticeDeps): Promise<readonly SendTarget[]> {
  return (await deps.gateway.inbox.running()).flatMap((row) => {
    const event = eventOf(row);
    const target = event && toSendTarget(event);
    return target === undefined || !wantsNotices(deps, target.platform) ? [] : [{ ...target, replyTo: null }];
  });
}

/** Home channels of platforms that are set up and want to know. */
function homes(deps: NoticeDeps): readonly SendTarget[] {
  const up = new Set<string>(deps.gateway.supervisor.statuses().map(({ tag }) => tag));
  return readableHomes(deps.source)
    .filter(({ platform }) => up.has(platform) && wantsNotices(deps, platform))
    .map(({ platform, chatId, threadId }) => ({
      platform,
      account: accountOf(deps, platform),
      chatId,
      threadId,
      replyTo: null,
    }));
}

function wantsNotices({ source, options }: NoticeDeps, tag: string): boolean {
  try {
    return platformSettings(tag, source).flag("GATEWAY_RESTART_NOTIFICATION", !traitsOf(tag).sparing);
  } catch (error) {
    options.log.warning("invalid setting", { error: toAppError(error).message });
    return !traitsOf(tag).sparing;
  }
}

/** The home channel of another platform: one that is connected, else one that may be soon. */
function another({ gateway, source }: NoticeDeps, tag: string): SendTarget | undefined {
  const others = gateway.supervisor
    .statuses()
    .filter((one) => one.tag !== tag && one.state !== "fatal" && one.state !== "paused");
  const known = readableHomes(source).flatMap(({ platform, chatId, threadId }) => {
    const status = others.find((one) => one.tag === platform);
    return status === undefined
      ? []
      : [{ status, target: { platform, account: status.account, chatId, threadId, replyTo: null } }];
  });
  return (known.find(({ status }) => status.state === "connected") ?? known[0])?.target;
}
