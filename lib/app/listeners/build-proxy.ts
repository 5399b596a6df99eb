import { AppError } from "../../base/errors.js";
import type { AppOptions } from "../../config/app-options.js";
import type { CredentialSource } from "../../contracts/models/credentials.js";
import type { OpenListener } from "../../contracts/owner/listeners.js";
import type { ProxyAdapter, ProxyApi, ProxyHeld, ProxyWanted } from "../../contracts/owner/proxy.js";
import { createAdapters, type ProxyAdapters } from "../../proxy/adapters.js";
import { type Counts, openProxyListener } from "../../proxy/server.js";
import { PROXY_HOST, PROXY_PORT, PROXY_PROVIDER, proxySettings } from "../../proxy/settings.js";
import { subscriptionAdapter } from "../../proxy/subscription.js";
import { createRelay } from "../../safety/net/relay.js";
import { givenToken, hostToBind, type ListenerToken, refuseUntold, tokenFor } from "./listener-token.js";
import type { Listeners } from "./listeners.js";
import { proxyStatus } from "./proxy-status.js";

/** The proxy of this process. */
export interface ProxyParts {
  readonly api: ProxyApi;
  readonly adapters: ProxyAdapters;
  /** Open the configured listener, held by the owner. @throws as `start` does, and E_CONFIG when its token could not be shown */
  openWithOwner(): Promise<ProxyHeld>;
}

export interface ProxyDeps {
  readonly options: AppOptions;
  readonly listeners: Listeners;
  readonly subscription: CredentialSource;
}

type Deps = ProxyDeps & { readonly adapters: ProxyAdapters; readonly counts: Map<string, () => Counts> };

export function buildProxy(given: ProxyDeps): ProxyParts {
  const adapters = createAdapters();
  adapters.register(subscriptionAdapter(given.subscription));
  const deps: Deps = { ...given, adapters, counts: new Map() };
  const { listeners, options } = deps;
  return {
    adapters,
    openWithOwner: () => {
      const place = placeOf(deps, {});
      refuseUntold(place.host, place.token);
      return open(deps, place, "owner");
    },
    api: {
      start: async (wanted) => {
        const place = placeOf(deps, wanted);
        if (!place.adapter.isAuthenticated()) throw loggedOut(place.adapter);
        return open(deps, place, "command");
      },
      status: async (check) => {
        const counts = (url: string) => deps.counts.get(url)?.() ?? { active: 0, total: 0, errors: 0 };
        const failure = listeners.failure("proxy");
        return proxyStatus({
          open: listeners.list("proxy"),
          counts,
          adapters: adapters.list(),
          failure,
          check,
          clock: options.clock,
        });
      },
      providers: async () =>
        adapters
          .list()
          .map(({ name, aliases, displayName, allowedPaths }) => ({ name, aliases, displayName, allowedPaths })),
      stop: (port) => listeners.close((one) => one.kind === "proxy" && (port === undefined || one.port === port)),
    },
  };
}

interface Place {
  readonly adapter: ProxyAdapter;
  readonly host: string;
  readonly port: number;
  readonly token: ListenerToken | undefined;
}

function placeOf({ options, adapters }: Deps, wanted: ProxyWanted): Place {
  const { config, env, ids } = options;
  const adapter = adapters.find(wanted.provider ?? config.get(PROXY_PROVIDER));
  const host = hostToBind(wanted.host ?? config.get(PROXY_HOST));
  const port = wanted.port ?? config.get(PROXY_PORT);
  return { adapter, host, port, token: tokenFor(host, givenToken(env) ?? wanted.token, ids) };
}

function loggedOut({ displayName, loginHint }: ProxyAdapter): AppError {
  return new AppError("E_AUTH", `not logged in to ${displayName}`, { exit: 2, hint: `${loginHint} logs in` });
}

async function open(
  deps: Deps,
  { adapter, host, port, token }: Place,
  heldBy: OpenListener["heldBy"],
): Promise<ProxyHeld> {
  const plan = {
    kind: "proxy",
    serves: adapter.name,
    host,
    port,
    open: () => listen(deps, { adapter, host, port, token }),
  } as const;
  const held = await deps.listeners.open(plan, heldBy);
  const shown = token === undefined ? undefined : { made: token.made && !held.already ? token.text : undefined };
  return { ...held, adapter: { name: adapter.name, displayName: adapter.displayName }, token: shown };
}

async function listen({ options, counts }: Deps, { adapter, host, port, token }: Place) {
  const { clock, log, config } = options;
  const relay = await createRelay(clock);
  const settings = proxySettings(config);
  try {
    const live = await openProxyListener(
      { clock, log: log.child("proxy"), relay, adapter, settings: settings.get, host, token: token?.text },
      port,
    );
    counts.set(live.url, live.counts);
    return {
      ...live,
      close: async (grace: number) => {
        await live.close(grace);
        counts.delete(live.url);
        settings.end();
        relay.close();
      },
    };
  } catch (error) {
    settings.end();
    relay.close();
    throw error;
  }
}
