import { type Once, once } from "../base/async/lazy.js";
import { toAppError } from "../base/errors.js";
import { IN_WORKSPACE } from "../board/dispatcher/dispatcher-settings.js";
import type { AppOptions } from "../config/app-options.js";
import type { ChatApi } from "../contracts/chat/chat.js";
import type { CronApi } from "../contracts/gateway/cron.js";
import type { ProxyApi } from "../contracts/owner/proxy.js";
import type { SkillServices } from "../contracts/skills/services.js";
import { type BoardNotifier, createBoardNotifier } from "../gateway/delivery/board-notifier.js";
import type { Logins } from "../logins/logins.js";
import type { ProxyAdapters } from "../proxy/adapters.js";
import { PROXY_AUTOSTART } from "../proxy/settings.js";
import type { OwnerCron } from "./build-cron.js";
import type { Couriers } from "./gateway/build-courier.js";
import { lazyCron } from "./lazy/lazy-gateway.js";
import { lazyProxy } from "./lazy/lazy-owner.js";
import type { ProxyParts } from "./listeners/build-proxy.js";
import type { Listeners } from "./listeners/listeners.js";
import type { Stores } from "./stores/stores.js";

/** What a process opens to others beside its own door, and does by itself at certain times. Loaded when it is first used. */
export interface ServedParts {
  /** What commands open in this process for the outside. */
  readonly listeners: Once<Listeners>;
  readonly proxyParts: Once<ProxyParts>;
  /** The proxy as commands use it. */
  readonly proxy: ProxyApi;
  readonly cronParts: Once<OwnerCron>;
  /** Scheduled jobs as commands use them. */
  readonly cron: CronApi;
  /** What sends messages that do not answer another one. */
  readonly couriers: Once<Couriers>;
  /** What brings messages of boards to chats. */
  readonly boardNotifier: BoardNotifier;
}

interface Parts {
  readonly logins: Once<Logins>;
  readonly stores: Stores;
  readonly chat: ChatApi;
  /** Plugins may bring adapters of the proxy. */
  readonly plugins: { ready(): Promise<void>; attachProxy(adapters: ProxyAdapters): void };
  readonly skills: SkillServices;
}

export function createServed(options: AppOptions, { logins, stores, chat, plugins, skills }: Parts): ServedParts {
  const listeners = once(async () => (await import("./listeners/listeners.js")).buildListeners(options));
  const proxyParts = once(async () => {
    const { buildProxy } = await import("./listeners/build-proxy.js");
    await plugins.ready();
    const subscription = (await logins()).source("subscription");
    const built = buildProxy({ options, listeners: await listeners(), subscription });
    plugins.attachProxy(built.adapters);
    return built;
  });
  const boardNotifier = createBoardNotifier();
  const couriers = once(async () =>
    (await import("./gateway/build-courier.js")).buildCouriers({ options, stores, chat, boardNotifier }),
  );
  const cronParts = once(async () =>
    (await import("./build-cron.js")).buildCron(options, { stores, chat, couriers, skills }),
  );
  const cron = lazyCron(async () => (await cronParts()).api);
  return {
    listeners,
    proxyParts,
    proxy: lazyProxy(async () => (await proxyParts()).api),
    cronParts,
    cron,
    couriers,
    boardNotifier,
  };
}

/** Begin scheduled jobs with an owner that stays, once all is started that may fail: they write at once. Nothing of it can keep the owner from starting. */
export async function startCron(options: AppOptions, served: ServedParts): Promise<void> {
  try {
    if (options.workspace !== true || options.config.get(IN_WORKSPACE))
      await (await served.cronParts()).service.start();
  } catch (error) {
    options.log.error("scheduled jobs do not run", { error: toAppError(error).message });
  }
}

/** Jobs that run are ended before that which they use. */
export async function closeServed({ listeners, cronParts }: ServedParts): Promise<void> {
  await (await listeners.peek())?.stop();
  await (await cronParts.peek())?.service.stop(STOP_MS);
}

const STOP_MS = 5_000;

/** Open the proxy with an owner that stays, where that is wanted. */
export async function openProxy({ config }: AppOptions, { listeners, proxyParts }: ServedParts): Promise<void> {
  if (!config.get(PROXY_AUTOSTART)) return;
  const all = await listeners();
  await all.openWithOwner("proxy", async () => (await proxyParts()).openWithOwner());
}
