import { createHash } from "node:crypto";
import type { Clock } from "../../base/clock.js";
import { isRecord } from "../../base/record.js";
import type { Secret } from "../../base/secret.js";
import type { EpochMs, Ms } from "../../base/units.js";
import type { Config } from "../../proto/config.js";
import type { KeyLease, KeyPool, ModelFailure } from "../../proto/model.js";
import { COOLDOWN_AUTH, COOLDOWN_BILLING, COOLDOWN_RATE_LIMIT, COOLDOWN_SOLE, POOL_STRATEGIES } from "./keys.js";

/** A sole key whose account is empty is looked at again sooner than one among others (proxy part, 5.2). */
const SOLE_BILLING_MS: Ms = 300_000;

/** A key that can never work again says so. */
const DEAD = ["token_invalidated", "token_revoked", "invalid_token", "invalid_grant", "unauthorized_client", "refresh_token_reused"];
const USED_UP = ["usage limit", "usage_limit"];

interface Entry {
  /** Fingerprint of the key: what is known about it goes with the key, not with its place. */
  readonly id: string;
  readonly secret: Secret;
  /** Place in the settings, from 0; moves with `round_robin`. */
  order: number;
  requests: number;
  leases: number;
  restUntil: EpochMs;
  cause: "auth" | "billing" | "rate_limit" | undefined;
  dead: boolean;
  /** Rate limits since the last success. */
  limited: number;
}

export interface PoolDeps {
  readonly config: Config;
  readonly clock: Clock;
  readonly random: () => number;
}

/** Several keys of one provider (proxy part, 5). Lives as long as the process; the keys themselves are never shown. */
export class Pool implements KeyPool {
  readonly #deps: PoolDeps;
  readonly #provider: string;
  #entries: readonly Entry[] = [];

  constructor(deps: PoolDeps, provider: string) {
    this.#deps = deps;
    this.#provider = provider;
  }

  /** The keys as the settings have them now. What is known about a key that stays is kept. */
  take(secrets: readonly Secret[]): this {
    const known = new Map(this.#entries.map((entry) => [entry.id, entry]));
    const ids = new Map(secrets.map((secret) => [fingerprint(secret), secret]));
    this.#entries = [...ids].map(([id, secret], order) => known.get(id) ?? newEntry(id, secret, order));
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
    Object.assign(this.#of(lease) ?? {}, { restUntil: 0, cause: undefined, limited: 0 });
  }

  failed(lease: KeyLease, failure: ModelFailure): "rotate" | "same" | "keep" {
    const entry = this.#of(lease);
    if (!entry || failure.rotate !== true) return "keep";
    const words = failure.message.toLowerCase();
    const has = (list: readonly string[]) => list.some((word) => words.includes(word));
    if (failure.class === "rate_limit") {
      entry.limited += 1;
      if (entry.limited < 2 && !has(USED_UP)) return "same";
      this.#rest(entry, "rate_limit", failure.resetMs ?? this.#seconds(this.#sole(entry) ? COOLDOWN_SOLE : COOLDOWN_RATE_LIMIT));
    } else if (failure.class === "billing") {
      this.#rest(entry, "billing", this.#sole(entry) ? SOLE_BILLING_MS : this.#seconds(COOLDOWN_BILLING));
    } else {
      entry.dead = entry.dead || has(DEAD);
      this.#rest(entry, "auth", this.#seconds(COOLDOWN_AUTH));
    }
    return "rotate";
  }

  problem(): ModelFailure {
    const resting = this.#entries.filter((entry) => !entry.dead);
    const head = `All ${this.#entries.length} credentials for ${this.#provider} `;
    const base = { class: "credentials_exhausted", retry: false, fallback: true } as const;
    if (resting.every((entry) => entry.cause === "auth")) {
      return {
        ...base,
        message: `${head}were refused: they need new keys`,
        hint: `set new keys for ${this.#provider}; agent doctor names where they are read from`,
      };
    }
    const free = Math.min(...resting.map((entry) => entry.restUntil));
    const wait = Math.max(0, free - this.#deps.clock.now());
    const what = resting.some((entry) => entry.cause === "rate_limit") ? "are rate-limited" : "have no credit left";
    return {
      ...base,
      message: `${head}${what}; the earliest is free at ${timeOf(free)} (in ${spanOf(wait)}).`,
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

  #seconds(key: typeof COOLDOWN_AUTH): Ms {
    return this.#deps.config.get(key) * 1_000;
  }

  #rest(entry: Entry, cause: NonNullable<Entry["cause"]>, ms: Ms): void {
    entry.cause = cause;
    entry.limited = 0;
    entry.restUntil = this.#deps.clock.now() + ms;
  }

  #pick(usable: readonly Entry[]): Entry | undefined {
    const all = this.#deps.config.get(POOL_STRATEGIES);
    const strategy = isRecord(all) ? all[this.#provider] : undefined;
    const byOrder = usable.toSorted((a, b) => a.order - b.order);
    if (strategy === "random") return usable[Math.floor(this.#deps.random() * usable.length)];
    if (strategy === "least_used") return byOrder.toSorted((a, b) => a.requests - b.requests)[0];
    const [first] = byOrder;
    if (strategy === "round_robin" && first) first.order = 1 + Math.max(...this.#entries.map((entry) => entry.order));
    return first;
  }
}

const newEntry = (id: string, secret: Secret, order: number): Entry => ({
  ...{ id, secret, order, requests: 0, leases: 0, restUntil: 0, cause: undefined, dead: false, limited: 0 },
});

const fingerprint = (secret: Secret): string => createHash("sha256").update(secret.reveal()).digest("hex").slice(0, 16);

const timeOf = (at: EpochMs): string => new Date(at).toTimeString().slice(0, 8);

function spanOf(ms: Ms): string {
  const seconds = Math.ceil(ms / 1_000);
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}
