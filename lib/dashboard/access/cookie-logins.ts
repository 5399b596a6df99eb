import type { Ids } from "../../base/ids.js";
import type { Secret } from "../../base/secret.js";
import type { Clock } from "../../base/time/clock.js";
import type { JsonReply } from "../../http/endpoint.js";
import type { AccessRequest } from "../../http/serve.js";
import { sameToken } from "../../http/token.js";
import { type CookieSession, createCookieSessions, type SessionOrigin } from "./cookie-sessions.js";

/** Sessions of one listener, known by the cookie of a browser. */
export interface CookieLogins {
  begin(origin: SessionOrigin): { readonly cookie: Secret; readonly session: CookieSession };
  /** Who shows a cookie of a session is known; what changes something needs the session's word in a header as well. */
  admit(request: AccessRequest["request"]): "known" | "unknown" | JsonReply;
  /** The session of a request, whatever else it shows. */
  sessionOf(request: AccessRequest["request"]): CookieSession | undefined;
  /** Header by which a browser keeps the cookie of a session in use; none when it was sent lately. */
  renewal(request: AccessRequest["request"], place: CookiePlace): Readonly<Record<string, string>>;
  end(session: CookieSession): void;
  /** The session is valid: it has not ended, and what it was begun with holds. */
  lives(session: CookieSession): boolean;
  /** End the sessions whose password or provider is no longer there, and what they listen to. */
  endInvalid(): void;
}

/** Where a cookie goes. */
export interface CookiePlace {
  /** Path of the dashboard. */
  readonly base: string;
  /** The browser talks to it by TLS. */
  readonly secure: boolean;
}

const NO_WORD: JsonReply = {
  status: 403,
  json: { detail: "X-Agent-CSRF is missing or wrong; /api/auth/me returns it", code: "E_FORBIDDEN" },
};

export function createCookieLogins(ids: Ids, clock: Clock): CookieLogins {
  const sessions = createCookieSessions(ids, clock);
  const lives = (session: CookieSession) => {
    if (!session.origin.holds()) sessions.endInvalid();
    return !session.ended;
  };
  const sessionOf = (request: AccessRequest["request"]) => {
    const cookie = cookieOf(request, sessionCookie(request));
    const session = cookie === undefined ? undefined : sessions.find(cookie);
    return session !== undefined && lives(session) ? session : undefined;
  };
  return {
    begin: sessions.begin,
    sessionOf,
    renewal: (request, place) => {
      const cookie = cookieOf(request, sessionCookie(request));
      const seconds = cookie === undefined ? undefined : sessions.renew(cookie);
      return cookie === undefined || seconds === undefined
        ? {}
        : { "set-cookie": cookieHeader(request, place, cookie, seconds) };
    },
    end: sessions.end,
    lives,
    endInvalid: sessions.endInvalid,
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
const sessionCookie = (request: AccessRequest["request"]): string => `agent_session_${request.socket.localPort ?? 0}`;

/** No script reads it, and no page of another site sends it. */
export const cookieHeader = (
  request: AccessRequest["request"],
  { base, secure }: CookiePlace,
  value: string,
  seconds: number,
): string =>
  `${sessionCookie(request)}=${value}; Path=${base}/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure ? "; Secure" : ""}`;

/** The value of a cookie; undefined: missing, or there twice. */
export function cookieOf(request: AccessRequest["request"], name: string): string | undefined {
  const pairs = (request.headers.cookie ?? "").split(";").map((pair) => pair.trim().split("="));
  const found = pairs.filter(([given]) => given === name);
  return found.length === 1 ? found[0]?.[1] : undefined;
}
