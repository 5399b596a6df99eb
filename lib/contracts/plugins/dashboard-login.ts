/** Logging in to the dashboard with an account that a plugin knows (extensions part, 6.2 and 7). */

/** What a login begins with. Every value but the address is new for each login and kept by the dashboard. */
export interface DashboardLoginStart {
  /** Where the browser has to come back to: `…/auth/callback` of this dashboard. */
  readonly redirectUri: string;
  /** Must come back as the parameter `state`. */
  readonly state: string;
  /** For an ID token; `complete` gets it again and compares it. */
  readonly nonce: string;
  /** SHA-256 of the verifier that `complete` gets (PKCE, `S256`). */
  readonly codeChallenge: string;
  /** Aborts when the time of the call is over. */
  readonly signal: AbortSignal;
}

/** What came back. `state` has been compared. */
export interface DashboardLoginAnswer {
  /** Parameters of the address that the browser came back with; the first value of each. */
  readonly params: Readonly<Record<string, string>>;
  readonly redirectUri: string;
  readonly nonce: string;
  readonly codeVerifier: string;
  readonly signal: AbortSignal;
}

/** Object for `registerDashboardAuthProvider`. */
export interface DashboardAuthProvider {
  readonly name: string;
  /** On the login page; default: the name. */
  readonly label?: string;
  /** Address that the browser is sent to: https, or http on this machine. At most 10 seconds. */
  begin(start: DashboardLoginStart): { readonly url: string } | Promise<{ readonly url: string }>;
  /** Who it was. Nothing: this account may not use the dashboard. At most 30 seconds. */
  complete(
    answer: DashboardLoginAnswer,
  ): { readonly user: string } | undefined | Promise<{ readonly user: string } | undefined>;
}
