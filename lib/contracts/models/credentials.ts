import type { Secret } from "../../base/secret.js";
import type { EpochMs } from "../../base/units.js";
import type { RestCause } from "./pool.js";

/** What a request to a provider carries, and where it may be sent. */
export interface Credential {
  /** Scheme, host, port and path as stored with the login. The bearer is sent nowhere else. */
  readonly baseUrl: string;
  readonly bearer: string;
  /** Word before the bearer in `Authorization`. Default `Bearer`. */
  readonly tokenType?: string;
  readonly expiresAt?: EpochMs;
  /** Which entry of the pool it came from, to mark it by. */
  readonly entry: string;
}

/** Where callers get the credentials of one provider. They are asked for per request, so that a rotation needs no restart. */
export interface CredentialSource {
  /** There is a login or a key that could be used. Offline. */
  isAuthenticated(): boolean;
  /** The credential to use now, refreshed when that is due. Callers at the same time share one refresh. @throws E_AUTH, E_RATE_LIMIT (all are cooling down; `data.until`) */
  get(signal: AbortSignal): Promise<Credential>;
  /** Another credential after the provider refused `failed` with 401 or 429, or undefined when no other is left; `failed` is marked by that answer. */
  retry(
    failed: Credential,
    status: number,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Credential | undefined>;
  /** A request with it was answered well: an earlier mark is taken away. Writes only then; never rejects. */
  succeeded?(used: Credential): void;
  /** When the current credential ends, and what is wrong with it. Offline. */
  state(): { readonly authenticated: boolean; readonly expiresAt?: EpochMs; readonly error?: string };
}

/** Why a key is not taken now. */
export interface KeyState {
  readonly cause: RestCause;
  readonly until: EpochMs;
  /** It is never taken again. */
  readonly dead: boolean;
}

/** A key of a provider; without a state it can be taken. */
export interface KnownKey {
  readonly secret: Secret;
  readonly state?: KeyState;
}

/** The keys that logins keep for requests to models, beside those of the settings, and what is known about each. */
export interface KeyStore {
  /**
   * Keys for requests to `baseUrl`, in the order in which they are taken: stored ones, then those of `written` that were not removed.
   *
   * @param written Keys that the settings give.
   */
  keysFor(provider: string, baseUrl: string, written: readonly string[]): readonly KnownKey[];
  /** There is a stored key. */
  has(provider: string): boolean;
  /** The login that pays for requests, where there is one. */
  login(provider: string): CredentialSource | undefined;
  /** A provider refused it. It is stored in the background. */
  rests(provider: string, key: Secret, state: KeyState, message: string): void;
  /** A request with it was answered well after it had rested. */
  works(provider: string, key: Secret): void;
}
