import type { EpochMs } from "../base/units.js";

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
  /** Another credential after the provider refused `failed` with 401 or 429, or undefined when there is none; `failed` is marked by that answer. */
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
