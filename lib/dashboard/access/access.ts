import { AppError } from "../../base/errors.js";
import type { Ids } from "../../base/ids.js";
import type { Log } from "../../base/log/log.js";
import { Secret } from "../../base/secret.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import type { JsonReply } from "../../http/endpoint.js";
import type { AccessRequest } from "../../http/serve.js";
import { bearerOf, createTickets, sameToken } from "../../http/token.js";
import { type BrowserLogins, createBrowserLogins } from "./browser-logins.js";
import { type CookieLogins, createCookieLogins } from "./cookie-logins.js";
import type { CookieSession } from "./cookie-sessions.js";
import { createFailures, toTooManyReply } from "./failures.js";
import type { LoginProviders } from "./login-providers.js";
import type { StoredPassword } from "./password-hash.js";
import { createPasswordLogins, type PasswordLogins } from "./password-logins.js";

/** How long a ticket is good for, in seconds. */
export const TICKET_SECONDS = 30;
const CODE_MS = 120_000;
const FAILURES_MAX = 10;
/** Of a token that the user has chosen. */
const SHORTEST = 32;

/** Who may use one listener of the dashboard: its session token, and what stands for it once. */
export interface DashboardAccess {
  readonly token: Secret;
  /** For the listener: the caller is known, is not, or gets this answer. */
  admit(asking: AccessRequest): "known" | "unknown" | JsonReply;
  /** A code for the URL that a person opens. It works once and for two minutes. */
  code(): string;
  /** The token for a code, or the answer to a wrong one. */
  exchange(code: string, address: string): { readonly token: Secret } | { readonly refused: JsonReply };
  /** A ticket for one WebSocket of the caller. */
  socketTicket(request?: AccessRequest["request"]): string;
  /** Whether a ticket opens a WebSocket; it is gone afterwards. That of a session that has ended opens none. */
  redeemSocket(ticket: string | undefined): boolean;
  /** A ticket for one GET of `path`. */
  downloadTicket(path: string): string;
  /** Ways to log in beside the URL that the owner prints, those of plugins once they are loaded. */
  providers(): readonly LoginWay[];
  /** Sessions of those who have logged in with the password or through a plugin. */
  readonly logins: CookieLogins;
  readonly passwords: PasswordLogins;
  readonly browserLogins: BrowserLogins;
  /** Nothing ends its sessions any more. */
  close(): void;
  /** The session that a ticket for a WebSocket was given to, until it is used. */
  holderOf(ticket: string | undefined): CookieSession | undefined;
}

/** One way to log in. `password`: the address takes a POST; `browser`: the browser goes there. */
export interface LoginWay {
  readonly name: string;
  readonly label: string;
  /** Below the base path. */
  readonly login: string;
  readonly kind: "password" | "browser";
}

export interface AccessOptions {
  /** Token that the user has set; without it a random one. */
  readonly chosen: string | undefined;
  /** The password in force; undefined: none is set. */
  readonly password: () => StoredPassword | undefined;
  /** Those of plugins. */
  readonly providers: LoginProviders;
  readonly log: Log;
}

/** Tickets whose sessions are remembered. */
const HOLDERS_MAX = 256;

/**
 * Access to a new listener.
 *
 * @throws E_CONFIG when the chosen one is too short
 */
export function createDashboardAccess(ids: Ids, clock: Clock, options: AccessOptions): DashboardAccess {
  const { chosen, password, providers, log } = options;
  const token = new Secret(checked(chosen) ?? ids.token());
  const codes = createTickets(ids, clock, CODE_MS);
  const sockets = createTickets(ids, clock, TICKET_SECONDS * 1000);
  const downloads = createTickets(ids, clock, TICKET_SECONDS * 1000);
  const failures = createFailures(clock, FAILURES_MAX);
  const logins = createCookieLogins(ids, clock);
  const passwords = createPasswordLogins(logins, clock, password);
  const limits = (most: number) => createFailures(clock, most);
  const browserLogins = createBrowserLogins({ ids, clock, log, providers, sessions: logins, limits });
  const forget = providers.onRemoved(logins.endInvalid);
  const holders = new Map<string, CookieSession>();
  /** Count a wrong token or code. @returns how long the address waits; what it sends while it waits is not counted. */
  const fail = (address: string): Ms => {
    const wait = failures.wait(address);
    return wait > 0 ? wait : failures.add(address);
  };
  const refusal = (wait: Ms): JsonReply => (wait > 0 ? toTooManyReply(wait) : UNAUTHORIZED);
  return {
    token,
    admit: ({ request, path, ticket, isPublic }) => {
      if (ticket !== undefined && downloads.redeem(ticket, path)) return "known";
      const given = tokenOf(request);
      if (given === undefined) {
        const session = logins.admit(request);
        return isPublic && typeof session !== "string" ? "unknown" : session;
      }
      // Looked at before the count: on loopback every program has the same address, and one that guesses must not lock the others out.
      if (sameToken(given, token.reveal())) return "known";
      const wait = fail(addressOf(request));
      return isPublic ? "unknown" : refusal(wait);
    },
    code: () => codes.issue("code"),
    exchange: (code, address) => (codes.redeem(code, "code") ? { token } : { refused: refusal(fail(address)) }),
    socketTicket: (request) => {
      const ticket = sockets.issue("socket");
      const session = request !== undefined && tokenOf(request) === undefined ? logins.sessionOf(request) : undefined;
      const [oldest] = holders.keys();
      if (session !== undefined) holders.set(ticket, session);
      if (holders.size > HOLDERS_MAX && oldest !== undefined) holders.delete(oldest);
      return ticket;
    },
    holderOf: (ticket) => holders.get(ticket ?? ""),
    redeemSocket: (ticket) => {
      if (ticket === undefined) return false;
      const session = holders.get(ticket);
      holders.delete(ticket);
      return sockets.redeem(ticket, "socket") && (session === undefined || logins.lives(session));
    },
    downloadTicket: (path) => downloads.issue(path),
    providers: () => [...passwordWay(passwords), ...providers.list().map(browserWay)],
    logins,
    passwords,
    browserLogins,
    close: forget,
  };
}

const passwordWay = (passwords: PasswordLogins): readonly LoginWay[] =>
  passwords.available()
    ? [{ name: "password", label: "Password", login: "api/auth/password-login", kind: "password" }]
    : [];

const browserWay = ({ name, label }: { readonly name: string; readonly label: string }): LoginWay => ({
  name,
  label,
  login: `auth/login?provider=${encodeURIComponent(name)}`,
  kind: "browser",
});

const UNAUTHORIZED: JsonReply = { status: 401, json: { detail: "Unauthorized" } };

const addressOf = (request: AccessRequest["request"]): string => request.socket.remoteAddress ?? "";

function checked(chosen: string | undefined): string | undefined {
  if (chosen === undefined || chosen === "") return undefined;
  if (chosen.length >= SHORTEST && bearerOf(`Bearer ${chosen}`) === chosen) return chosen;
  throw new AppError("E_CONFIG", `AGENT_DASHBOARD_SESSION_TOKEN must be ${SHORTEST} to 512 visible ASCII characters`, {
    hint: "use a longer value, or unset it to generate one at each start",
  });
}

/** The token of a request. One that shows two is not known: which of them counted would be a guess. */
function tokenOf(request: AccessRequest["request"]): string | undefined {
  const values = (wanted: string) =>
    request.rawHeaders.filter((_, at, all) => at % 2 === 1 && all[at - 1]?.toLowerCase() === wanted);
  const given = [...values("x-agent-session-token"), ...values("authorization").map((value) => bearerOf(value) ?? "")];
  return given.length > 1 ? "" : given[0];
}
