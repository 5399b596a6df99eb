import { createHash } from "node:crypto";
import type { Ids } from "../../base/ids.js";
import type { Log } from "../../base/log/log.js";
import { Secret } from "../../base/secret.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import { sameToken } from "../../http/token.js";
import type { CookieLogins } from "./cookie-logins.js";
import type { LoginProvider, LoginProviders } from "./login-providers.js";

/** Logins to one listener that lead through a page of another service: begun here, answered by the way back. */
export interface BrowserLogins {
  /** @param address of the client, whose logins are counted */
  begin(name: string, redirectUri: string, address: string): Promise<LoginBegun>;
  /** @param binding cookie of the browser that comes back */
  complete(params: URLSearchParams, binding: string | undefined, address: string): Promise<LoginEnded>;
}

export type LoginBegun =
  | { readonly outcome: "go"; readonly url: string; readonly binding: Secret }
  | { readonly outcome: "unknown" | "failed" }
  | { readonly outcome: "wait"; readonly wait: Ms };

/** `stale`: this browser has not begun the login, it was used already or is too old. `refused`: the account may not come in. */
export type LoginEnded =
  | { readonly outcome: "in"; readonly cookie: Secret }
  | { readonly outcome: "stale" | "refused" | "failed" }
  | { readonly outcome: "wait"; readonly wait: Ms };

/** How long a login may take, in seconds. */
export const LOGIN_SECONDS = 600;
/** Logins under way. Above, the one that was begun first is given up. */
const PENDING_MAX = 64;
/** Logins that one address may begin in a minute, and wrong ways back. */
const BEGINS_MAX = 20;
const WRONG_MAX = 10;

interface Pending {
  readonly provider: LoginProvider;
  readonly redirectUri: string;
  readonly nonce: string;
  readonly verifier: string;
  /** Digest of the cookie: another browser does not finish it. */
  readonly binding: string;
  readonly until: Ms;
}

interface BrowserLoginDeps {
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
  readonly providers: LoginProviders;
  readonly sessions: Pick<CookieLogins, "begin">;
  /** Counts by client address; `add` answers how long it has to wait. */
  readonly limits: (most: number) => { wait(address: string): Ms; add(address: string): Ms };
}

export function createBrowserLogins({ ids, clock, log, providers, sessions, limits }: BrowserLoginDeps): BrowserLogins {
  const pending = new Map<string, Pending>();
  const begins = limits(BEGINS_MAX);
  const wrong = limits(WRONG_MAX);
  const keep = (state: string, login: Pending) => {
    for (const [key, { until }] of pending)
      if (until <= clock.mono() || pending.size >= PENDING_MAX) pending.delete(key);
    pending.set(digest(state), login);
  };
  /** The login of a state. It is used up by being asked for with the right cookie only: guessing does not end another one's. */
  const take = (state: string, binding: string | undefined): Pending | undefined => {
    const key = digest(state);
    const login = pending.get(key);
    if (login === undefined || binding === undefined || !sameToken(digest(binding), login.binding)) return undefined;
    pending.delete(key);
    return login.until > clock.mono() ? login : undefined;
  };
  const failed = (name: string, error: unknown) => {
    log.error("a login through a plugin failed", { provider: name, error: String(error) });
    return { outcome: "failed" } as const;
  };
  return {
    begin: async (name, redirectUri, address) => {
      const wait = begins.add(address);
      if (wait > 0) return { outcome: "wait", wait };
      await providers.ready();
      const provider = providers.find(name);
      if (provider === undefined) return { outcome: "unknown" };
      const state = ids.token();
      const binding = ids.token();
      const nonce = ids.token();
      const verifier = ids.token();
      const codeChallenge = createHash("sha256").update(verifier).digest("base64url");
      const login = {
        provider,
        redirectUri,
        nonce,
        verifier,
        binding: digest(binding),
        until: clock.mono() + LOGIN_SECONDS * 1000,
      };
      try {
        const url = await provider.begin({ redirectUri, state, nonce, codeChallenge });
        keep(state, login);
        return { outcome: "go", url, binding: new Secret(binding) };
      } catch (error) {
        return failed(name, error);
      }
    },
    complete: async (params, binding, address) => {
      const wait = wrong.wait(address);
      if (wait > 0) return { outcome: "wait", wait };
      const login = take(params.get("state") ?? "", binding);
      if (login === undefined) {
        wrong.add(address);
        return { outcome: "stale" };
      }
      const { provider, redirectUri, nonce, verifier } = login;
      const answer = { params: firstValues(params), redirectUri, nonce, codeVerifier: verifier };
      try {
        const user = await provider.complete(answer);
        const holds = () => providers.find(provider.name) === provider;
        if (user === undefined || !holds()) return { outcome: "refused" };
        return { outcome: "in", cookie: sessions.begin({ provider: provider.name, user, holds }).cookie };
      } catch (error) {
        return failed(provider.name, error);
      }
    },
  };
}

const firstValues = (params: URLSearchParams): Readonly<Record<string, string>> =>
  Object.fromEntries([...new Set(params.keys())].map((name) => [name, params.get(name) ?? ""]));

const digest = (text: string): string => createHash("sha256").update(text).digest("base64");
