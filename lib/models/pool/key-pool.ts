import { createHash } from "node:crypto";
import type { Secret } from "../../base/secret.js";
import type { Clock } from "../../base/time/clock.js";
import type { EpochMs } from "../../base/units.js";
import type { Config } from "../../contracts/config/config.js";
import type { KeyStore, KnownKey } from "../../contracts/models/credentials.js";
import type { KeyLease, KeyPool, ModelFailure } from "../../contracts/models/model.js";
import {
  deadReason,
  everyCredential,
  exhaustedText,
  pickCredential,
  type RestCause,
  restMs,
  saysUsedUp,
  strategyOf,
} from "../../contracts/models/pool.js";

interface Entry {
  /** Fingerprint of the key: what is known about it goes with the key, not with its place. */
  readonly id: string;
  readonly secret: Secret;
  /** Place in the settings, from 0; moves with `round_robin`. */
  order: number;
  requests: number;
  leases: number;
  restUntil: EpochMs;
  cause: RestCause | undefined;
  dead: boolean;
  /** Rate limits since the last success. */
  limited: number;
}

export interface KeyPoolDeps {
  readonly config: Config;
  readonly clock: Clock;
  readonly random: () => number;
  /** Receives what happens to keys, so that others know it too. */
  readonly store?: KeyStore | undefined;
}

/** Several keys of one provider (proxy part, 5). Lives as long as the process; the keys themselves are never shown. */
export class Pool implements KeyPool {
  readonly #deps: KeyPoolDeps;
  readonly #provider: string;
  #entries: readonly Entry[] = [];

  constructor(deps: KeyPoolDeps, provider: string) {
    this.#deps = deps;
    this.#provider = provider;
  }

  /** The keys as they are now. What is known about a key that stays is kept, and what others have found out counts more. */
  take(keys: readonly KnownKey[]): this {
    const known = new Map(this.#entries.map((entry) => [entry.id, entry]));
    const ids = new Map(keys.map((key) => [fingerprint(key.secret), key]));
    this.#entries = [...ids].map(([id, key], order) => {
      const entry = known.get(id) ?? newEntry(id, key.secret, order);
      const { cause, until = 0, dead = false } = key.state ?? {};
      return this.#deps.store === undefined ? entry : Object.assign(entry, { cause, dead, restUntil: until });
    });
    return this;
  }

  get size(): number {
    return this.#entries.length;
  }

  lease(tried: ReadonlySet<string>): KeyLease | undefined {
    const usable = this.#available().filter((entry) => !tried.has(entry.id));
    const least = Math.min(...usable.map((entry) => entry.leases));
    const entry = this.#pick(usable.filter((one) => one.leases === least));
    if (!entry) return undefined;
    entry.leases += 1;
    return { id: entry.id, secret: entry.secret };
  }

  release(lease: KeyLease): void {
    const entry = this.#of(lease);
    if (entry) entry.leases = Math.max(0, entry.leases - 1);
  }

  used(lease: KeyLease): void {
    const entry = this.#of(lease);
    if (entry) entry.requests += 1;
  }

  succeeded(lease: KeyLease): void {
    const entry = this.#of(lease);
    if (entry?.cause !== undefined) this.#deps.store?.works(this.#provider, entry.secret);
    Object.assign(entry ?? {}, { restUntil: 0, cause: undefined, limited: 0 });
  }

  failed(lease: KeyLease, failure: ModelFailure): "rotate" | "same" | "keep" {
    const entry = this.#of(lease);
    if (!entry || failure.rotate !== true) return "keep";
    if (failure.class === "rate_limit") {
      entry.limited += 1;
      if (entry.limited < 2 && !saysUsedUp(failure.message)) return "same";
      this.#rest(entry, "rate_limit", failure);
    } else if (failure.class === "billing") {
      this.#rest(entry, "billing", failure);
    } else {
      entry.dead = entry.dead || deadReason(failure.message) !== undefined;
      this.#rest(entry, "auth", failure);
    }
    return "rotate";
  }

  problem(): ModelFailure {
    const resting = this.#entries.filter((entry) => !entry.dead);
    const base = { class: "credentials_exhausted", retry: false, fallback: true } as const;
    if (resting.every((entry) => entry.cause === "auth")) {
      return {
        ...base,
        message: `${everyCredential(this.size, this.#provider)} ${this.size === 1 ? "was rejected: replace the key" : "were rejected: replace the keys"}`,
        hint: `set new keys for ${this.#provider}; agent doctor shows where they are read from`,
      };
    }
    const until = Math.min(...resting.map((entry) => entry.restUntil));
    const now = this.#deps.clock.now();
    const wait = Math.max(0, until - now);
    const cause = resting.some((entry) => entry.cause === "rate_limit") ? "rate_limit" : "billing";
    return {
      ...base,
      message: exhaustedText({ provider: this.#provider, count: this.size, cause, until, now }),
      retryAfterMs: wait,
      resetMs: wait,
    };
  }

  #available(): readonly Entry[] {
    const now = this.#deps.clock.now();
    return this.#entries.filter((entry) => !entry.dead && entry.restUntil <= now);
  }

  #of(lease: KeyLease): Entry | undefined {
    return this.#entries.find((entry) => entry.id === lease.id);
  }

  #sole(entry: Entry): boolean {
    return this.#available().every((other) => other === entry);
  }

  #rest(entry: Entry, cause: RestCause, { message, resetMs }: ModelFailure): void {
    const ms = restMs(this.#deps.config, cause, { sole: this.#sole(entry), told: resetMs });
    entry.cause = cause;
    entry.limited = 0;
    entry.restUntil = this.#deps.clock.now() + ms;
    this.#deps.store?.rests(this.#provider, entry.secret, { cause, until: entry.restUntil, dead: entry.dead }, message);
  }

  #pick(usable: readonly Entry[]): Entry | undefined {
    const strategy = strategyOf(this.#deps.config, this.#provider);
    const entry = pickCredential(usable, strategy, this.#deps.random);
    if (strategy === "round_robin" && entry) entry.order = 1 + Math.max(...this.#entries.map((one) => one.order));
    return entry;
  }
}

const newEntry = (id: string, secret: Secret, order: number): Entry => ({
  id,
  secret,
  order,
  requests: 0,
  leases: 0,
  restUntil: 0,
  cause: undefined,
  dead: false,
  limited: 0,
});

const fingerprint = (secret: Secret): string => createHash("sha256").update(secret.reveal()).digest("hex").slice(0, 16);
