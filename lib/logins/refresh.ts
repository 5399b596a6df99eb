import { AppError, toAppError } from "../base/errors.js";
import type { Log } from "../base/log/log.js";
import { type EpochMs, type Ms, toIso } from "../base/units.js";
import type { Config } from "../contracts/config/config.js";
import { addressesOf } from "./core/addresses.js";
import type { Descriptor } from "./core/descriptors.js";
import type { ProviderRecord } from "./core/document.js";
import type { LoginEntry, StoredFields } from "./core/entry.js";
import { netFor } from "./core/trust.js";
import type { FlowPorts, RefreshAnswer, Tokens } from "./flows/flow.js";
import { flowOf } from "./flows/flows.js";
import type { LoginStore } from "./store.js";

export interface RefreshDeps extends FlowPorts {
  readonly store: LoginStore;
  readonly config: Config;
  readonly log: Log;
  /** Removes secrets from what a provider says. */
  readonly redact: (text: string) => string;
}

export type Refreshed =
  | { readonly kind: "fresh"; readonly entry: LoginEntry }
  /** Only a new login helps. */
  | { readonly kind: "over"; readonly message: string }
  /** Unknown: it is tried again, at `until` at the earliest. */
  | { readonly kind: "later"; readonly message: string; readonly until?: EpochMs | undefined };

/** Proxy part, 8. */
const FIRST_PAUSE_MS: Ms = 30_000;
const LONGEST_PAUSE_MS: Ms = 10 * 60_000;

interface Trouble {
  readonly message: string;
  readonly failures: number;
  readonly until: EpochMs;
}

/** Renews logins. Callers at the same time share one request, also callers in other processes; a refresh token is never sent twice. */
export class Refresher {
  readonly #deps: RefreshDeps;
  readonly #running = new Map<string, Promise<Refreshed>>();
  readonly #troubles = new Map<string, Trouble>();
  /** Tokens that the provider has given and the disk has not taken: without them the login would be lost. */
  readonly #unsaved = new Map<string, { readonly generation: number; readonly tokens: Tokens }>();

  constructor(deps: RefreshDeps) {
    this.#deps = deps;
  }

  /** So little of it remains that it has to be renewed. */
  isDue(entry: LoginEntry, { refreshBefore }: Descriptor): boolean {
    if (entry.type !== "oauth") return false;
    if (entry.accessToken === undefined) return true;
    return entry.expiresAt !== undefined && entry.expiresAt - this.#deps.clock.now() < refreshBefore;
  }

  /** It can no longer be sent. */
  isOver(entry: LoginEntry): boolean {
    return (
      entry.accessToken === undefined || (entry.expiresAt !== undefined && entry.expiresAt <= this.#deps.clock.now())
    );
  }

  /** What the last attempt failed of. */
  trouble(id: string): string | undefined {
    return this.#troubles.get(id)?.message;
  }

  /**
   * Renew `entry`, or find that it was renewed since it was read. Never rejects.
   * @param now At once, although an attempt has just failed.
   */
  refresh(descriptor: Descriptor, entry: LoginEntry, now = false): Promise<Refreshed> {
    const key = `${descriptor.id} ${entry.id}`;
    const running = this.#running.get(key);
    if (running !== undefined) return running;
    const trouble = this.#troubles.get(entry.id);
    if (!now && trouble !== undefined && this.#deps.clock.now() < trouble.until)
      return Promise.resolve({ kind: "later", message: trouble.message, until: trouble.until });
    const mine = this.#guarded(descriptor, entry);
    this.#running.set(key, mine);
    return mine;
  }

  async #guarded(descriptor: Descriptor, entry: LoginEntry): Promise<Refreshed> {
    try {
      const result = await this.#locked(descriptor, entry);
      if (result.kind !== "later") this.#troubles.delete(entry.id);
      return result;
    } catch (error) {
      return this.#later(entry.id, toAppError(error).message);
    } finally {
      this.#running.delete(`${descriptor.id} ${entry.id}`);
    }
  }

  async #locked(descriptor: Descriptor, seen: LoginEntry): Promise<Refreshed> {
    const { store } = this.#deps;
    if (!store.writable()) throw new AppError("E_STATE", `cannot write ${store.path}: a renewed login would be lost`);
    const lock = await store.lockLogin(descriptor.id, seen.id);
    try {
      const entry = this.#stored(descriptor, seen.id);
      if (entry === undefined) return { kind: "over", message: "the login was removed" };
      if (entry.status === "dead")
        return { kind: "over", message: entry.errorMessage ?? "the login is no longer valid" };
      if (entry.generation !== seen.generation && !this.isDue(entry, descriptor)) return { kind: "fresh", entry };
      const unsaved = this.#unsaved.get(entry.id);
      if (unsaved?.generation === entry.generation) return await this.#save(descriptor, entry, unsaved.tokens);
      return await this.#ask(descriptor, entry);
    } finally {
      lock.release();
    }
  }

  async #ask(descriptor: Descriptor, entry: LoginEntry): Promise<Refreshed> {
    const flow = flowOf(descriptor);
    if (flow === undefined || entry.refreshToken === undefined)
      return { kind: "over", message: "the login cannot be renewed" };
    const addresses = addressesOf(
      this.#deps.config,
      descriptor,
      madeAt(entry, this.#deps.store.view().provider(descriptor.id)),
    );
    const net = await netFor(this.#deps.net, entry);
    const answer = await flow.refresh({ ...this.#deps, net }, addresses, entry.refreshToken);
    if (answer.kind === "tokens") return this.#save(descriptor, entry, answer.tokens);
    if (answer.kind === "terminal") return this.#end(descriptor, entry, answer);
    return this.#later(entry.id, this.#deps.redact(answer.message), answer.waitMs);
  }

  /** Only what is on the disk is used: a token that is used and then forgotten would end the login. */
  async #save(descriptor: Descriptor, entry: LoginEntry, tokens: Tokens): Promise<Refreshed> {
    this.#unsaved.set(entry.id, { generation: entry.generation, tokens });
    const at = toIso(this.#deps.clock.now());
    await this.#deps.store.update((document) => {
      const there = document.entries(descriptor.id).find((one) => one.id === entry.id);
      if (there?.generation !== entry.generation) return; // removed, or made again meanwhile: what is there counts
      document.patch(descriptor.id, entry.id, {
        ...fieldsOf(tokens),
        last_refresh: at,
        generation: entry.generation + 1,
        ...WORKS,
      });
      document.setAuthError(descriptor.id, undefined);
    });
    this.#unsaved.delete(entry.id);
    const saved = this.#stored(descriptor, entry.id);
    return saved === undefined ? { kind: "over", message: "the login was removed" } : { kind: "fresh", entry: saved };
  }

  async #end(
    descriptor: Descriptor,
    entry: LoginEntry,
    answer: RefreshAnswer & { kind: "terminal" },
  ): Promise<Refreshed> {
    const { store, clock, log, redact } = this.#deps;
    const at = toIso(clock.now());
    const message = redact(answer.message).slice(0, 300);
    await store.update((document) => {
      const there = document.entries(descriptor.id).find((one) => one.id === entry.id);
      if (there?.generation !== entry.generation) return;
      const why = {
        last_status: "dead",
        last_status_at: at,
        last_error_code: answer.code,
        last_error_reason: answer.code,
      };
      const wiped = {
        access_token: undefined,
        refresh_token: undefined,
        expires_at: undefined,
        generation: entry.generation + 1,
      };
      document.patch(descriptor.id, entry.id, {
        ...wiped,
        ...why,
        last_error_message: message,
        last_error_reset_at: undefined,
      });
      document.setAuthError(descriptor.id, { code: answer.code, message, at, relogin_required: true });
    });
    log.warning("a login is no longer valid", { provider: descriptor.id, entry: entry.id, code: answer.code });
    return { kind: "over", message };
  }

  #later(id: string, message: string, waitMs?: Ms): Refreshed {
    const failures = (this.#troubles.get(id)?.failures ?? 0) + 1;
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
    const until = this.#deps.clock.now() + Math.max(pause, Math.min(waitMs ?? 0, LONGEST_PAUSE_MS));
    this.#troubles.set(id, { message, failures, until });
    this.#deps.log.warning("failed to renew a login", { entry: id, failures });
    return { kind: "later", message, until };
  }

  #stored(descriptor: Descriptor, id: string): LoginEntry | undefined {
    return this.#deps.store
      .view()
      .entries(descriptor.id)
      .find((one) => one.id === id);
  }
}

/** What an entry says of its own login wins over what is known of the provider. */
export function madeAt({ portalUrl, issuer, clientId }: LoginEntry, record: ProviderRecord): ProviderRecord {
  const own = {
    portal_url: portalUrl ?? record.portal_url,
    issuer: issuer ?? record.issuer,
    client_id: clientId ?? record.client_id,
  };
  return { ...record, ...own };
}

const WORKS: StoredFields = {
  last_status: "ok",
  last_error_code: undefined,
  last_error_reason: undefined,
  last_error_message: undefined,
  last_error_reset_at: undefined,
};

/** Members of an entry that tokens bring. The old refresh token stays without a new one. */
export function fieldsOf(tokens: Tokens): StoredFields {
  return {
    access_token: tokens.access.reveal(),
    ...(tokens.refresh === undefined ? {} : { refresh_token: tokens.refresh.reveal() }),
    ...(tokens.type === undefined ? {} : { token_type: tokens.type }),
    ...(tokens.scope === undefined ? {} : { scope_granted: tokens.scope }),
    expires_at: tokens.expiresAt === undefined ? undefined : toIso(tokens.expiresAt),
  };
}
