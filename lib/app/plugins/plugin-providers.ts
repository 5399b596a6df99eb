import { AppError } from "../../base/errors.js";
import type { Log } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import type { Transcriber } from "../../contracts/gateway/transcription.js";
import type { MemoryProvider } from "../../contracts/memory/provider.js";
import type { ProxyAdapter } from "../../contracts/owner/proxy.js";
import type { PluginProvider, ProviderKind } from "../../contracts/plugins/context.js";
import type { LoginProviders } from "../../dashboard/access/login-providers.js";
import { bringPlatform } from "../../gateway/adapter/plugin-platforms.js";
import { createMemoryConsumer } from "../../plugins/host/memory-consumer.js";
import type { ProviderConsumer } from "../../plugins/host/providers.js";
import type { ProxyAdapters } from "../../proxy/adapters.js";
import { createLoginRegistry } from "./plugin-logins.js";

/** Objects of plugins that parts of the app use. The parts are built when they are first used: what came before waits for them here. */
export interface PluginProviders {
  readonly consumers: Partial<Record<ProviderKind, ProviderConsumer>>;
  /** What hears recordings: that of the plugin that was loaded last. */
  transcriber(): Transcriber | undefined;
  /** The memory beside the files. */
  memory(): MemoryProvider | undefined;
  /** Logins to the dashboard. */
  readonly logins: Omit<LoginProviders, "ready">;
  /** The adapters of the proxy, once there are any. */
  attachProxy(adapters: ProxyAdapters): void;
}

export function createPluginProviders(log: Log, clock: Clock): PluginProviders {
  const logins = createLoginRegistry(clock);
  const transcribers: Transcriber[] = [];
  const waiting = new Map<ProxyAdapter, (() => void) | undefined>();
  const memory = createMemoryConsumer();
  let proxy: ProxyAdapters | undefined;
  return {
    logins,
    transcriber: () => transcribers.at(-1),
    memory: memory.current,
    attachProxy: (adapters) => {
      proxy = adapters;
      for (const adapter of waiting.keys())
        try {
          waiting.set(adapter, adapters.register(adapter));
        } catch (error) {
          log.error("the proxy does not take an adapter of a plugin", { adapter: adapter.name, error: String(error) });
        }
    },
    consumers: {
      memory: memory.consumer,
      dashboard_auth: logins.add,
      platform: bringPlatform,
      transcription: (provider) => {
        const transcriber = provider as Transcriber; // it has a name and the method, which the registry has looked at
        transcribers.push(transcriber);
        return () => {
          transcribers.splice(transcribers.indexOf(transcriber), 1);
        };
      },
      proxy_adapter: (provider) => {
        const adapter = toAdapter(provider);
        waiting.set(adapter, proxy?.register(adapter));
        return () => {
          waiting.get(adapter)?.();
          waiting.delete(adapter);
        };
      },
    },
  };
}

/** The methods were looked at by the registry. @throws E_INVALID for paths that are not given as texts */
function toAdapter(provider: PluginProvider): ProxyAdapter {
  const given = provider as PluginProvider & Partial<ProxyAdapter>; // as far as it holds
  const { name, allowedPaths = [] } = given;
  const texts = (list: unknown): list is readonly string[] =>
    Array.isArray(list) && list.every((one) => typeof one === "string");
  if (!texts(allowedPaths) || !texts(given.aliases ?? []))
    throw new AppError("E_INVALID", `proxy_adapter ${name}: aliases and allowedPaths must be lists of texts`);
  const own = provider as ProxyAdapter; // its methods are called on the object itself
  return {
    name,
    aliases: given.aliases ?? [],
    displayName: String(given.displayName ?? name),
    loginHint: String(given.loginHint ?? ""),
    allowedPaths,
    isAuthenticated: () => own.isAuthenticated(),
    state: () => own.state(),
    getCredential: (signal) => own.getCredential(signal),
    getRetryCredential: (failed, status, headers, signal) => own.getRetryCredential(failed, status, headers, signal),
  };
}
