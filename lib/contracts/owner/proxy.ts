import type { EpochMs } from "../../base/units.js";
import type { Credential } from "../models/credentials.js";
import type { HeldListener } from "./listeners.js";

/** Where the proxy sends requests to, and what it puts on them. Built in, or of a plugin; found by its name. */
export interface ProxyAdapter {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly displayName: string;
  /** A command that logs in, as it can be run. */
  readonly loginHint: string;
  /** Exact paths, each beginning with `/v1/`. */
  readonly allowedPaths: readonly string[];
  /** There is a login that could be used. Offline, at once. */
  isAuthenticated(): boolean;
  /** When the credential ends, and what is wrong with it. Offline, at once. */
  state(): { readonly expiresAt?: EpochMs; readonly error?: string };
  /** The credential for a request, refreshed when that is due. Requests at the same time share one call. @throws E_AUTH, E_RATE_LIMIT (`data.until`) */
  getCredential(signal: AbortSignal): Promise<Credential>;
  /** Another credential after 401 or 429, or undefined when the answer is to be passed on. */
  getRetryCredential(
    failed: Credential,
    status: 401 | 429,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Credential | undefined>;
  /** A request with it was answered well. */
  succeeded?(used: Credential): void;
}

/** Arguments of `agent proxy start`; the configuration says the rest. */
export interface ProxyWanted {
  readonly provider?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  /** Token of the caller's environment, for a host that other machines can reach. */
  readonly token?: string | undefined;
}

export interface ProxyHeld extends HeldListener {
  readonly adapter: Pick<ProxyAdapter, "name" | "displayName">;
  /** Bound outside loopback: clients have to present a token. `made` is one that was made for this start and is shown this once. */
  readonly token: { readonly made: string | undefined } | undefined;
}

/** Part of `agent proxy status --json`. */
export interface ProxyListenerStatus {
  readonly url: string;
  readonly provider: string;
  readonly host: string;
  readonly port: number;
  /** ISO 8601. */
  readonly since: string;
  /** Requests that are open, that there were, and that ended with an error or in the middle. */
  readonly active: number;
  readonly total: number;
  readonly errors: number;
}

export interface ProxyAdapterStatus {
  readonly name: string;
  readonly display_name: string;
  readonly authenticated: boolean;
  readonly expires_at: string | null;
  readonly error: string | null;
}

export interface ProxyStatus {
  readonly listeners: readonly ProxyListenerStatus[];
  readonly adapters: readonly ProxyAdapterStatus[];
  /** Why the listener that was wanted from the start of the owner is not there. */
  readonly autostart_error?: string;
}

/** The local proxy, as commands use it. */
export interface ProxyApi {
  /**
   * Open a listener, or find the one that is open.
   *
   * @throws E_USAGE for an unknown provider or a token that is too short, E_AUTH with exit 2 when not logged in, what opening a listener throws
   */
  start(wanted: ProxyWanted): Promise<ProxyHeld>;
  /** `check`: resolve each credential, which refreshes what is due. Offline without it. */
  status(check: boolean): Promise<ProxyStatus>;
  providers(): Promise<readonly Pick<ProxyAdapter, "name" | "aliases" | "displayName" | "allowedPaths">[]>;
  /** Close the listeners, or the one on that port. @returns how many there were */
  stop(port: number | undefined): Promise<number>;
}
