/** Logins and keys of model providers as commands see and change them (proxy part, 6). No secret is ever part of it. */
import type { Secret } from "../../base/secret.js";
import type { EpochMs, Ms } from "../../base/units.js";

/** One credential of a provider. */
export interface AuthEntry {
  /** Place in the list of its provider, from 1. */
  readonly index: number;
  readonly id: string;
  readonly label: string;
  readonly type: "oauth" | "api_key";
  readonly source: string;
  readonly scope: string;
  readonly priority: number;
  readonly status: "ok" | "exhausted" | "dead";
  /** Why it rests or is over. */
  readonly reason: string | null;
  readonly message: string | null;
  /** When one that rests may be taken again. */
  readonly reset_at: EpochMs | null;
  readonly expires_at: EpochMs | null;
  readonly region: string | null;
  readonly requests: number;
  /** A request would take this one. */
  readonly current: boolean;
}

export interface AuthProvider {
  readonly provider: string;
  readonly name: string;
  readonly entries: readonly AuthEntry[];
  /** Why its login came to an end. */
  readonly error: string | null;
}

export interface AuthList {
  readonly providers: readonly AuthProvider[];
  /** Names of providers that are known and have neither a login nor a key. */
  readonly absent: readonly string[];
  /** Sentences about a store that cannot be read or written. */
  readonly problems: readonly string[];
}

export interface AuthStatus {
  readonly provider: string;
  readonly name: string;
  readonly logged_in: boolean;
  readonly type: "oauth" | "api_key" | null;
  readonly account: string | null;
  readonly region: string | null;
  readonly expires_at: EpochMs | null;
  readonly error: string | null;
}

/** What `auth add` may say of a new credential. */
export interface AuthAdd {
  readonly label?: string | undefined;
  readonly priority?: number | undefined;
  /** It serves this profile only. */
  readonly thisProfile?: boolean | undefined;
  /** One of those that the provider has. */
  readonly region?: string | undefined;
  /** Replaces what the settings and the product say. */
  readonly addresses?: Readonly<Record<string, string | undefined>> | undefined;
}

export interface AuthLogin extends AuthAdd {
  /** Called once, as soon as it is known what the user has to do. */
  readonly told: (prompt: {
    readonly url: string;
    readonly code: string;
    readonly expiresAt: EpochMs;
  }) => Promise<void>;
  readonly signal: AbortSignal;
  readonly timeoutMs?: Ms | undefined;
  /** Asks the user for the address that the browser ends at, or for the code in it: nothing listens on this machine then. */
  readonly paste?: (() => Promise<string>) | undefined;
  /** File with certificates of further authorities, for the login, its renewals and its end. */
  readonly caBundle?: string | undefined;
  /** Certificates of hosts on this machine are not verified. */
  readonly insecure?: boolean | undefined;
  /** Environment of a caller whose browser is to show the page; absent: none is opened. */
  readonly browser?: Readonly<Record<string, string | undefined>> | undefined;
}

/** What one can do at a provider. */
export interface AuthWays {
  readonly id: string;
  readonly name: string;
  /** `none`: it takes keys only. `missing`: it has a login that this version cannot make. */
  readonly login: "here" | "missing" | "none";
  /** Variables that hold a key of it, the one of choice first. */
  readonly keyVariables: readonly string[];
  readonly regions: readonly string[];
  /** What a user has to know before a login. */
  readonly notice: string | null;
}

export interface AuthRefreshed {
  readonly entry: AuthEntry;
  /** Absent: it was renewed. */
  readonly problem?: string;
}

/** @throws E_USAGE for an unknown provider */
export interface AuthApi {
  ways(provider: string): Promise<AuthWays>;
  list(provider?: string): Promise<AuthList>;
  status(provider: string): Promise<AuthStatus>;
  /** A key that is there already keeps its place and counts as new. */
  addKey(provider: string, key: Secret, options: AuthAdd): Promise<AuthEntry>;
  /** @throws E_USAGE an address or name is missing; E_AUTH the login failed (`data.reason`); the signal's reason */
  login(
    provider: string,
    options: AuthLogin,
  ): Promise<{ readonly entry: AuthEntry; readonly warnings: readonly string[] }>;
  /**
   * @param which Place, id or label.
   * @param clean Delete the line of `.env` that it comes from.
   * @returns `variable`: it comes from this one, which is still set
   * @throws E_NOT_FOUND, E_AMBIGUOUS
   */
  remove(
    provider: string,
    which: string,
    clean: boolean,
  ): Promise<{ readonly entry: AuthEntry; readonly variable: string | null }>;
  /** Nothing rests any more, and keys that were given up are tried again. @returns how many */
  reset(provider: string): Promise<number>;
  /** Renew the login in use, or all of them. @throws E_AUTH without a login */
  refresh(provider: string, all: boolean): Promise<readonly AuthRefreshed[]>;
  /** Remove every login and what is known of the provider; keys stay. */
  logout(provider: string): Promise<{ readonly removed: number; readonly revoked: number }>;
}
