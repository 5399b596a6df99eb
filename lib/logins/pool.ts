import { AppError } from "../base/errors.js";
import type { Clock } from "../base/time/clock.js";
import { type EpochMs, type Ms, toIso } from "../base/units.js";
import {
  everyCredential,
  exhaustedText,
  pickCredential,
  type RestCause,
  restMs,
  strategyOf,
} from "../contracts/models/pool.js";
import { credentialsOf, hasSecret, isAvailable, type Viewer } from "./core/credentials.js";
import type { Descriptor } from "./core/descriptors.js";
import type { LoginDocument } from "./core/document.js";
import { fingerprintOf, isBorrowed, type LoginEntry, type StoredFields } from "./core/entry.js";
import type { LoginStore } from "./store.js";

export interface LoginPoolDeps extends Viewer {
  readonly store: LoginStore;
  readonly clock: Pick<Clock, "now">;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** Removes secrets from what a provider says. */
  readonly redact: (text: string) => string;
}

/** Why a credential is not taken for a while, or never again. */
export interface Mark {
  readonly cause: RestCause;
  /** Its end is certain: it is never taken again. */
  readonly dead?: boolean;
  readonly code: string;
  readonly reason?: string | undefined;
  readonly message: string;
  /** How long the provider says that it lasts. */
  readonly told?: Ms | undefined;
}

/** Requests are counted here and written now and then (proxy part, 4.2). */
const COUNTS_EVERY_MS: Ms = 30_000;
const MESSAGE_CHARS = 300;

/** The credentials of one provider as this profile sees them, one of which is taken for each request. */
export class LoginPool {
  readonly #deps: LoginPoolDeps;
  readonly #descriptor: Descriptor;
  readonly #counts = new Map<string, number>();
  /** Those that took their turn, the last one last. */
  #turns: readonly string[] = [];
  #written: EpochMs;

  constructor(deps: LoginPoolDeps, descriptor: Descriptor) {
    this.#deps = deps;
    this.#descriptor = descriptor;
    this.#written = deps.clock.now();
  }

  entries(): readonly LoginEntry[] {
    const now = this.#deps.clock.now();
    return credentialsOf(this.#deps.store.view(), this.#deps, this.#descriptor).filter(
      (entry) => !isForgotten(entry, now),
    );
  }

  /** The one that a request would take now, those in `without` left out. */
  pick(without: ReadonlySet<string> = new Set()): LoginEntry | undefined {
    const now = this.#deps.clock.now();
    const usable = this.entries().filter((entry) => isAvailable(entry, now) && !without.has(entry.id));
    const strategy = strategyOf(this.#deps.config, this.#descriptor.id);
    const ordered = strategy === "round_robin" ? this.#byTurn(usable) : byAge(usable);
    const rows = ordered.map((entry, order) => ({
      entry,
      order,
      requests: entry.requests + (this.#counts.get(entry.id) ?? 0),
    }));
    return pickCredential(rows, strategy, this.#deps.random)?.entry;
  }

  /** It is not taken for a while. */
  rests(entry: LoginEntry): boolean {
    return entry.status === "exhausted" && (entry.resetAt ?? 0) > this.#deps.clock.now();
  }

  /** It serves a request. Its count is written with others, and never keeps the request waiting. */
  used(entry: LoginEntry): Promise<void> {
    this.#counts.set(entry.id, (this.#counts.get(entry.id) ?? 0) + 1);
    this.#turns = [...this.#turns.filter((id) => id !== entry.id), entry.id];
    const due = this.#deps.clock.now() - this.#written >= COUNTS_EVERY_MS;
    return due ? this.flush() : Promise.resolve();
  }

  /** Write what was counted. */
  async flush(): Promise<void> {
    this.#written = this.#deps.clock.now();
    if (this.#counts.size === 0 || !this.#deps.store.writable()) return;
    const counts = new Map(this.#counts);
    this.#counts.clear();
    const turns = strategyOf(this.#deps.config, this.#descriptor.id) === "round_robin" ? this.#turns : [];
    await this.#deps.store.update((document) => {
      const stored = document.entries(this.#descriptor.id);
      for (const { id, requests } of stored) {
        const more = counts.get(id);
        if (more !== undefined) document.patch(this.#descriptor.id, id, { request_count: requests + more });
      }
      for (const id of turns) document.moveBack(this.#descriptor.id, id);
    });
  }

  /** A provider refused it. @returns when it may be taken again; undefined: never */
  async failed(entry: LoginEntry, mark: Mark): Promise<EpochMs | undefined> {
    const { clock, config } = this.#deps;
    const now = clock.now();
    const sole = this.entries().every((other) => other.id === entry.id || !isAvailable(other, now));
    return this.rest(entry, mark, now + restMs(config, mark.cause, { sole, told: mark.told }));
  }

  /** It is not taken before `until`. @returns when it may be taken again; undefined: never */
  async rest(entry: LoginEntry, mark: Mark, until: EpochMs): Promise<EpochMs | undefined> {
    const { clock, redact } = this.#deps;
    await this.write(entry, {
      last_status: mark.dead === true ? "dead" : "exhausted",
      last_status_at: toIso(clock.now()),
      last_error_code: mark.code,
      last_error_reason: mark.reason ?? mark.cause,
      last_error_message: redact(mark.message).slice(0, MESSAGE_CHARS),
      last_error_reset_at: mark.dead === true ? undefined : toIso(until),
    });
    return mark.dead === true ? undefined : until;
  }

  /** It served a request. Writes only what clears an earlier mark. */
  async succeeded(entry: LoginEntry): Promise<void> {
    if (entry.status === undefined || entry.status === "ok") return;
    await this.write(entry, { ...CLEARED, last_status: "ok", last_status_at: toIso(this.#deps.clock.now()) });
  }

  /** Change members of an entry; a borrowed one is stored with this, without its secret. */
  async write(entry: LoginEntry, fields: StoredFields): Promise<void> {
    await this.#deps.store.update((document) => {
      for (const old of document.entries(this.#descriptor.id)) {
        if (isForgotten(old, this.#deps.clock.now())) document.drop(this.#descriptor.id, old.id);
      }
      if (isBorrowed(entry.source)) keepBorrowed(document, this.#descriptor.id, entry);
      document.patch(this.#descriptor.id, entry.id, fields);
    });
  }

  /** The error for a caller when every credential to take is in `without`. */
  problem(without: ReadonlySet<string> = new Set()): AppError {
    const { id, name } = this.#descriptor;
    const all = this.entries().filter(
      (entry) => (hasSecret(entry) || entry.status === "dead") && !without.has(entry.id),
    );
    const login = `agent auth add ${id}`;
    if (all.length === 0) {
      const over = this.#deps.store.view().authError(id);
      const said =
        over === undefined ? `not logged in to ${name}` : `the login to ${name} is no longer valid: ${over.message}`;
      return new AppError("E_AUTH", said, { provider: id, hint: login });
    }
    const resting = all.filter((entry) => entry.status !== "dead");
    if (resting.length === 0) {
      const said = `${everyCredential(all.length, id)} ${all.length === 1 ? "requires" : "require"} a new login: ${login}`;
      return new AppError("E_AUTH", said, { provider: id, hint: login });
    }
    const now = this.#deps.clock.now();
    const until = Math.min(...resting.map((entry) => entry.resetAt ?? now));
    const refused = resting.every((entry) => entry.errorReason === "auth");
    if (refused)
      return new AppError("E_AUTH", `${everyCredential(all.length, id)} ${all.length === 1 ? "was" : "were"} refused`, {
        provider: id,
        until,
        hint: `agent auth reset ${id} retries immediately; ${login} creates a new login`,
      });
    const cause = resting.some((entry) => entry.errorReason !== "billing") ? "rate_limit" : "billing";
    return new AppError("E_RATE_LIMIT", exhaustedText({ provider: id, count: all.length, cause, until, now }), {
      provider: id,
      until,
    });
  }

  #byTurn(entries: readonly LoginEntry[]): readonly LoginEntry[] {
    const turn = (entry: LoginEntry) => this.#turns.indexOf(entry.id);
    return entries.toSorted((a, b) => turn(a) - turn(b));
  }
}

const FORGOTTEN_MS: Ms = 24 * 3_600_000;

/** A key that was typed in and given up a day ago; what a variable or a login gives stays, to be seen. */
function isForgotten({ status, source, statusAt }: LoginEntry, now: EpochMs): boolean {
  return status === "dead" && source.startsWith("manual") && statusAt !== undefined && now - statusAt > FORGOTTEN_MS;
}

/** Members that a success or a reset takes away. */
export const CLEARED: StoredFields = {
  last_status: undefined,
  last_status_at: undefined,
  last_error_code: undefined,
  last_error_reason: undefined,
  last_error_message: undefined,
  last_error_reset_at: undefined,
};

/** The lowest priority number, then the oldest; the scope of a profile stands before both. */
export function byAge(entries: readonly LoginEntry[]): readonly LoginEntry[] {
  const own = (entry: LoginEntry) => (entry.scope === "shared" ? 1 : 0);
  const age = (entry: LoginEntry) => entry.obtainedAt ?? Number.POSITIVE_INFINITY;
  return entries.toSorted((a, b) => own(a) - own(b) || a.priority - b.priority || compare(age(a), age(b)));
}

const compare = (a: number, b: number): number => (a === b ? 0 : a < b ? -1 : 1);

function keepBorrowed(document: LoginDocument, provider: string, entry: LoginEntry): void {
  const same = document.entries(provider).find((stored) => stored.source === entry.source);
  if (same?.id === entry.id) return;
  if (same !== undefined) document.drop(provider, same.id);
  const { id, scope, label, priority, source } = entry;
  const fingerprint = entry.accessToken === undefined ? undefined : fingerprintOf(entry.accessToken);
  document.add(provider, {
    id,
    scope,
    label,
    auth_type: "api_key",
    priority,
    source,
    generation: 0,
    secret_fingerprint: fingerprint,
  });
}
