import { createMailbox } from "../../base/async/mailbox.js";
import type { Ids } from "../../base/ids.js";
import type { Secret } from "../../base/secret.js";
import type { Clock } from "../../base/time/clock.js";
import type { JsonReply } from "../../http/endpoint.js";
import type { AccessRequest } from "../../http/serve.js";
import { sameToken } from "../../http/token.js";
import { type CookieSession, createCookieSessions } from "./cookie-sessions.js";
import { createFailures, toTooManyReply } from "./failures.js";
import { type StoredPassword, verifyPassword } from "./password-hash.js";

/** Logging in to one listener with the password. */
export interface PasswordLogins {
  /** A password is set. */
  available(): boolean;
  login(
    password: string,
    address: string,
  ): Promise<{ readonly cookie: Secret; readonly session: CookieSession } | { readonly refused: JsonReply }>;
  /** Who shows a cookie of a session is known; what changes something needs the session's word in a header as well. */
  admit(request: AccessRequest["request"]): "known" | "unknown" | JsonReply;
  /** The session of a request, whatever else it shows. */
  sessionOf(request: AccessRequest["request"]): CookieSession | undefined;
  /** Header by which a browser keeps the cookie of a session that is used; none when it was told lately. `base`: path of the dashboard. */
  renewal(request: AccessRequest["request"], base: string): Readonly<Record<string, string>>;
  end(session: CookieSession): void;
  /** Somebody is still known by it: it has not ended, and its password is the one in force. */
  lives(session: CookieSession): boolean;
  /** End the sessions of every password but the one in force, and what they listen to. */
  passwordChanged(): void;
}

/** Five wrong ones within a minute, and the address waits for a minute. */
const WRONG_MAX = 5;
/** Passwords that wait to be looked at: each takes 16 MiB and some time. */
const WAITING_MAX = 16;

const WRONG: JsonReply = { status: 401, json: { detail: "Unauthorized" } };
const NONE: JsonReply = {
  status: 404,
  json: { detail: "no password is set: agent dashboard password set", code: "E_NOT_FOUND" },
};
const NO_WORD: JsonReply = {
  status: 403,
  json: { detail: "X-Agent-CSRF is missing or wrong; /api/auth/me tells it", code: "E_FORBIDDEN" },
};

/** @param stored the password in force, looked at with each request */
export function createPasswordLogins(ids: Ids, clock: Clock, stored: () => StoredPassword | undefined): PasswordLogins {
  const sessions = createCookieSessions(ids, clock);
  const failures = createFailures(clock, WRONG_MAX - 1);
  const order = createMailbox("passwords", WAITING_MAX);
  const passwordChanged = () => sessions.keepOnly(stored()?.salt);
  const lives = (session: CookieSession) => {
    if (session.salt !== stored()?.salt) passwordChanged();
    return !session.ended;
  };
  const sessionOf = (request: AccessRequest["request"]) => {
    const cookie = cookieOf(request);
    const session = cookie === undefined ? undefined : sessions.find(cookie);
    return session !== undefined && lives(session) ? session : undefined;
  };
  const attempt = async (password: string, address: string) => {
    const wait = failures.wait(address);
    if (wait > 0) return { refused: toTooManyReply(wait) };
    const right = stored();
    if (right === undefined) return { refused: NONE };
    if (await verifyPassword(password, right)) return sessions.begin(right.salt);
    failures.add(address);
    return { refused: WRONG };
  };
  return {
    available: () => stored() !== undefined,
    login: (password, address) => order.post(() => attempt(password, address)),
    sessionOf,
    renewal: (request, base) => {
      const cookie = cookieOf(request);
      const seconds = cookie === undefined ? undefined : sessions.renew(cookie);
      return cookie === undefined || seconds === undefined
        ? {}
        : { "set-cookie": cookieHeader(request, base, cookie, seconds) };
    },
    end: sessions.end,
    lives,
    passwordChanged,
    admit: (request) => {
      const session = sessionOf(request);
      if (session === undefined) return "unknown";
      if (request.method === "GET" || request.method === "HEAD") return "known";
      const word = request.headers["x-agent-csrf"];
      return typeof word === "string" && sameToken(word, session.csrf) ? "known" : NO_WORD;
    },
  };
}

/** Cookies are the same for all ports of a host: each listener has its own name. */
const cookieName = (request: AccessRequest["request"]): string => `agent_session_${request.socket.localPort ?? 0}`;

/** No script reads it, and no page of another site sends it. */
export const cookieHeader = (request: AccessRequest["request"], base: string, value: string, seconds: number): string =>
  `${cookieName(request)}=${value}; Path=${base}/; Max-Age=${seconds}; HttpOnly; SameSite=Strict`;

function cookieOf(request: AccessRequest["request"]): string | undefined {
  const name = cookieName(request);
  const pairs = (request.headers.cookie ?? "").split(";").map((pair) => pair.trim().split("="));
  const found = pairs.filter(([given]) => given === name);
  return found.length === 1 ? found[0]?.[1] : undefined;
}
