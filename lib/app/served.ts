import { lazily, type Once, once } from "../base/lazy.js";
import type { Logins } from "../logins/logins.js";
import type { ProxyApi } from "../proto/proxy.js";
import { PROXY_AUTOSTART } from "../proxy/settings.js";
import type { Listeners } from "./listeners/listeners.js";
import type { AppOptions } from "./options.js";
import type { ProxyParts } from "./proxy/build.js";

/** What a process opens to others beside its own door. Loaded when it is first used. */
export interface Served {
  /** What commands open in this process for the outside. */
  readonly listeners: Once<Listeners>;
  readonly proxyParts: Once<ProxyParts>;
  /** The proxy as commands use it. */
  readonly proxy: ProxyApi;
}

export function createServed(options: AppOptions, logins: Once<Logins>): Served {
  const listeners = once(async () => (await import("./listeners/build.js")).buildListeners(options));
  const proxyParts = once(async () => {
    const { buildProxy } = await import("./proxy/build.js");
    return buildProxy({ options, listeners: await listeners(), subscription: (await logins()).source("subscription") });
  });
  return { listeners, proxyParts, proxy: lazily<ProxyApi>(async () => (await proxyParts()).api) };
}

/** Open the proxy with an owner that stays, where that is wanted. It cannot keep the owner from starting. */
export async function openProxy({ config }: AppOptions, { listeners, proxyParts }: Served): Promise<void> {
  if (!config.get(PROXY_AUTOSTART)) return;
  const all = await listeners();
  await all.openWithOwner("proxy", async () => (await proxyParts()).openWithOwner());
}
