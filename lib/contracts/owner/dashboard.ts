import type { Secret } from "../../base/secret.js";
import type { HeldListener, OpenListener } from "./listeners.js";

/** A dashboard that is open, and how a person gets into it. */
export interface DashboardEntry {
  readonly listener: OpenListener;
  /** Its holder may do what the user may do. */
  readonly token: Secret;
  /** The user has set it: it need not be shown. */
  readonly chosen: boolean;
  /** Only programs of this machine reach it. */
  readonly loopback: boolean;
  /** A URL that logs its opener in, once and within two minutes. Each call makes another one. */
  entryUrl(): string;
}

/** The dashboards of this owner. */
export interface DashboardApi {
  /**
   * Open one, or find the one that is open there. What is left out is as configured.
   *
   * @throws E_CONFIG it cannot listen, or the token is too short; E_CONFLICT something else holds the place
   */
  open(place: {
    readonly host?: string | undefined;
    readonly port?: number | undefined;
    /** Session token that the caller has set; an open dashboard keeps its own. */
    readonly token?: Secret | undefined;
  }): Promise<DashboardEntry & { readonly held: HeldListener }>;
  /** Those that are open, the first one first. */
  list(): Promise<readonly DashboardEntry[]>;
  /** Close those that are open. @returns how many there were */
  close(): Promise<number>;
  /** Why the one that should have been opened with the owner was not. */
  failure(): Promise<string | undefined>;
  /** Set the password for logins, or remove it. Sessions of the one before end. @returns whether a password was set before */
  setPassword(password: Secret | undefined): Promise<boolean>;
  /** Show a URL in the browser of the desktop that `env` belongs to. False: no browser was found, or it does not start. */
  browse(url: string, env: Readonly<Record<string, string>>): Promise<boolean>;
}

/** Dashboards as commands use them, and as their owner does. */
export interface Dashboards extends DashboardApi {
  /** Open the configured one for as long as the owner stays. Errors are reported by `failure`. */
  openWithOwner(): Promise<void>;
}
