import type { Log } from "../base/log/log.js";
import { Secret } from "../base/secret.js";
import type { CredentialSource, KeyState, KeyStore, KnownKey } from "../contracts/models/credentials.js";
import { sameText } from "../safety/redact/same-text.js";
import { hasSecret, knownProvider, readProviderSettings } from "./core/credentials.js";
import type { Descriptor } from "./core/descriptors.js";
import { fingerprintOf, isBorrowed, type LoginEntry } from "./core/entry.js";
import { byAge, type LoginPool, type LoginPoolDeps } from "./pool.js";

export interface KeyStoreDeps extends LoginPoolDeps {
  readonly pool: (descriptor: Descriptor) => LoginPool;
  readonly source: (provider: string) => CredentialSource;
  readonly log: Log;
  /** Work that has to be done before the process ends. */
  readonly owe: (work: Promise<void>) => void;
}

/** Keys for requests to models, from the same store as everything else here. */
export function createKeyStore(deps: KeyStoreDeps): KeyStore {
  /** What is not written yet, or cannot be. */
  const unwritten = new Map<string, KeyState | undefined>();
  const entryOf = (descriptor: Descriptor, key: Secret) =>
    deps
      .pool(descriptor)
      .entries()
      .find(({ accessToken }) => accessToken !== undefined && sameText(accessToken.reveal(), key.reveal()));
  const write = async (
    descriptor: Descriptor,
    key: Secret,
    state: KeyState | undefined,
    message: string,
  ): Promise<void> => {
    const entry = entryOf(descriptor, key);
    if (entry === undefined || !deps.store.writable()) return;
    const pool = deps.pool(descriptor);
    if (state === undefined) await pool.succeeded(entry);
    else await pool.rest(entry, { cause: state.cause, code: state.cause, dead: state.dead, message }, state.until);
    if (unwritten.get(fingerprintOf(key)) === state) unwritten.delete(fingerprintOf(key));
  };
  const note = (provider: string, key: Secret, state: KeyState | undefined, message: string) => {
    const descriptor = knownProvider(deps.config, provider);
    if (descriptor === undefined) return;
    unwritten.set(fingerprintOf(key), state);
    const work = write(descriptor, key, state, message);
    deps.owe(
      work.catch((error: unknown) =>
        deps.log.warning("failed to store the state of a key", { provider, error: String(error) }),
      ),
    );
  };
  return {
    has: (provider) => {
      const descriptor = knownProvider(deps.config, provider);
      return (
        descriptor !== undefined &&
        deps
          .pool(descriptor)
          .entries()
          .some((entry) => isKey(entry) && !isBorrowed(entry.source))
      );
    },
    login: (provider) => {
      const descriptor = knownProvider(deps.config, provider);
      const live = (entry: LoginEntry) => entry.type === "oauth" && entry.status !== "dead" && hasSecret(entry);
      return descriptor !== undefined && deps.pool(descriptor).entries().some(live)
        ? deps.source(descriptor.id)
        : undefined;
    },
    keysFor: (provider, baseUrl, written) => {
      const descriptor = knownProvider(deps.config, provider);
      if (descriptor === undefined) return written.map((key) => ({ secret: new Secret(key) }));
      const given = new Set(written);
      const fits = (entry: LoginEntry) =>
        isBorrowed(entry.source)
          ? given.has(entry.accessToken?.reveal() ?? "")
          : goesTo(deps, descriptor, entry, baseUrl);
      return byAge(
        deps
          .pool(descriptor)
          .entries()
          .filter((entry) => isKey(entry) && fits(entry)),
      ).flatMap((entry): KnownKey[] => {
        const { accessToken: secret } = entry;
        if (secret === undefined) return [];
        const print = fingerprintOf(secret);
        const state = unwritten.has(print) ? unwritten.get(print) : stateOf(entry);
        return [{ secret, ...(state === undefined ? {} : { state }) }];
      });
    },
    rests: (provider, key, state, message) => note(provider, key, state, message),
    works: (provider, key) => note(provider, key, undefined, ""),
  };
}

const isKey = (entry: LoginEntry): boolean => entry.type === "api_key" && entry.accessToken !== undefined;

function stateOf({ status, resetAt, errorReason }: LoginEntry): KeyState | undefined {
  if (status !== "dead" && status !== "exhausted") return undefined;
  const cause = errorReason === "billing" || errorReason === "rate_limit" ? errorReason : "auth";
  return { cause, until: resetAt ?? 0, dead: status === "dead" };
}

/** A key is sent where it was stored for, or else where the settings or the product have its provider. */
function goesTo({ config }: LoginPoolDeps, descriptor: Descriptor, entry: LoginEntry, baseUrl: string): boolean {
  const own = readProviderSettings(config, descriptor.id)?.["base_url"];
  const places = entry.baseUrl !== undefined ? [entry.baseUrl] : [own, descriptor.inferenceUrl];
  return places.some(
    (place) => typeof place === "string" && originOf(place) !== undefined && originOf(place) === originOf(baseUrl),
  );
}

const originOf = (text: string): string | undefined => (URL.canParse(text) ? new URL(text).origin : undefined);
