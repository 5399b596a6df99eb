import { AppError } from "../base/errors.js";
import type { Ids } from "../base/ids.js";
import type { Log } from "../base/log/log.js";
import type { Net } from "../base/net/net.js";
import type { Spawner } from "../base/process/spawn.js";
import type { Clock } from "../base/time/clock.js";
import type { Config } from "../contracts/config/config.js";
import type { CredentialSource, KeyStore } from "../contracts/models/credentials.js";
import { knownProvider } from "./core/credentials.js";
import { DESCRIPTORS, type Descriptor } from "./core/descriptors.js";
import { createKeyStore } from "./key-store.js";
import { LoginPool } from "./pool.js";
import { Refresher } from "./refresh.js";
import { createSource } from "./source.js";
import { createLoginStore, type LoginStore } from "./store.js";

export interface LoginsOptions {
  /** Home of the default profile. */
  readonly root: string;
  readonly profile: string;
  readonly config: Config;
  /** Process environment with `.env` of the profile over it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly spawner: Pick<Spawner, "identify" | "alive">;
  readonly net: Net;
  readonly log: Log;
  readonly redact: (text: string) => string;
  readonly readonly: boolean;
  /** Default: real chance. */
  readonly random?: () => number;
}

/** The logins and keys of this profile. Nothing is opened, and no request is sent, before the first use. */
export interface Logins {
  readonly store: LoginStore;
  readonly refresher: Refresher;
  /** @throws E_USAGE for an unknown provider */
  provider(name: string): Descriptor;
  pool(provider: Descriptor): LoginPool;
  /**
   * Credentials of a provider, one for each request. The same object for the same provider and kind.
   *
   * @param only Logins or keys alone; default: both
   * @throws E_USAGE for an unknown provider
   */
  source(provider: string, only?: "oauth" | "api_key"): CredentialSource;
  /** Its keys for requests to models. */
  readonly keys: KeyStore;
  /** Write what is only counted so far, and wait for what is being written. Never rejects. */
  stop(): Promise<void>;
}

export function createLogins(options: LoginsOptions): Logins {
  const { config, log, random = Math.random } = options;
  const store = createLoginStore(options);
  const refresher = new Refresher({ ...options, store });
  const pools = new Map<string, LoginPool>();
  const sources = new Map<string, CredentialSource>();
  const owed = new Set<Promise<void>>();
  const owe = (work: Promise<void>) => {
    const mine = work.finally(() => owed.delete(mine));
    owed.add(mine);
  };
  const deps = { ...options, random, store, owe };
  const pool = (descriptor: Descriptor): LoginPool => {
    const made = pools.get(descriptor.id) ?? new LoginPool(deps, descriptor);
    pools.set(descriptor.id, made);
    return made;
  };
  const provider = (name: string): Descriptor => {
    const known = knownProvider(config, name);
    if (known !== undefined) return known;
    const all = DESCRIPTORS.map(({ id }) => id).join(", ");
    throw new AppError(
      "E_USAGE",
      `unknown provider ${JSON.stringify(name)} (known: ${all}, and providers in config.yaml)`,
      {
        hint: `add providers.${name}.base_url to config.yaml, or use a known provider`,
      },
    );
  };
  const source = (name: string, only?: "oauth" | "api_key"): CredentialSource => {
    const descriptor = provider(name);
    const key = `${descriptor.id} ${only ?? ""}`;
    const made = sources.get(key) ?? createSource({ ...deps, pool: pool(descriptor), refresher }, descriptor, only);
    sources.set(key, made);
    return made;
  };
  return {
    store,
    refresher,
    provider,
    pool,
    source,
    keys: createKeyStore({ ...deps, pool, source: (name) => source(name) }),
    stop: async () => {
      await Promise.all(owed); // none of them rejects
      for (const one of pools.values()) {
        try {
          await one.flush();
        } catch (error) {
          log.warning("failed to count uses of logins", { error: String(error) });
        }
      }
    },
  };
}
