import { createHash } from "node:crypto";
import type { Ids } from "../../base/ids.js";
import { Secret } from "../../base/secret.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";

/** What a session was begun with. */
export interface SessionOrigin {
  /** `password`, or the name of a plugin's provider. */
  readonly provider: string;
  /** Who it is, as far as the provider knows. */
  readonly user: string | null;
  /** The password is still in force, the provider still there. */
  holds(): boolean;
}

/** A user who has logged in with the password or through a plugin. */
export interface CookieSession {
  /** What changes something must be sent with it: a page of another site cannot read it. */
  readonly csrf: string;
  /** When it no longer holds the session ends. */
  readonly origin: SessionOrigin;
  /** The session is no longer valid. */
  readonly ended: boolean;
  /** Called when it ends, at once when it has. The result forgets it. */
  onEnd(end: () => void): () => void;
}

export interface CookieSessions {
  begin(origin: SessionOrigin): { readonly cookie: Secret; readonly session: CookieSession };
  /** The living session of a cookie; it lives longer by being used. */
  find(cookie: string): CookieSession | undefined;
  /** Seconds for which the browser should keep the cookie from now on; undefined: it was sent lately, or the session is over. */
  renew(cookie: string): number | undefined;
  end(session: CookieSession): void;
  /** End those whose origin no longer holds. */
  endInvalid(): void;
}

/** How long a session lives without being used, in seconds. */
export const COOKIE_SECONDS = 12 * 3600;
const LONGEST_MS: Ms = 30 * 24 * 3600_000;
/** How often the cookie is renewed in the browser. */
const RENEW_EVERY_MS: Ms = 3600_000;

/** Above it the session that was begun first ends. */
const SESSIONS_MAX = 256;

interface Entry extends CookieSession {
  readonly begun: Ms;
  readonly ends: Set<() => void>;
  until: Ms;
  /** When the browser last got the lifetime. */
  told: Ms;
  ended: boolean;
}

/** Sessions of one listener. They are kept by digest and end with the listener. */
export function createCookieSessions(ids: Ids, clock: Clock): CookieSessions {
  const open = new Map<string, Entry>();
  const digest = (cookie: string) => createHash("sha256").update(cookie).digest("base64");
  const drop = (key: string) => {
    const entry = open.get(key);
    open.delete(key);
    if (entry === undefined) return;
    entry.ended = true;
    for (const end of entry.ends) end();
  };
  return {
    begin: (origin) => {
      const [oldest] = open.keys();
      if (open.size >= SESSIONS_MAX && oldest !== undefined) drop(oldest);
      const cookie = new Secret(ids.token());
      const ends = new Set<() => void>();
      const onEnd = (end: () => void) => {
        if (session.ended) end();
        else ends.add(end);
        return () => ends.delete(end);
      };
      const now = clock.mono();
      const session: Entry = {
        csrf: ids.token(),
        origin,
        begun: now,
        until: now + COOKIE_SECONDS * 1000,
        told: now,
        ended: false,
        ends,
        onEnd,
      };
      open.set(digest(cookie.reveal()), session);
      return { cookie, session };
    },
    find: (cookie) => {
      const key = digest(cookie);
      const entry = open.get(key);
      const now = clock.mono();
      if (entry === undefined) return undefined;
      if (now >= entry.until) {
        drop(key);
        return undefined;
      }
      entry.until = Math.min(now + COOKIE_SECONDS * 1000, entry.begun + LONGEST_MS);
      return entry;
    },
    renew: (cookie) => {
      const entry = open.get(digest(cookie));
      const now = clock.mono();
      if (entry === undefined || now - entry.told < RENEW_EVERY_MS || now >= entry.until) return undefined;
      entry.told = now;
      return Math.ceil((entry.until - now) / 1000);
    },
    end: (session) => {
      for (const [key, entry] of open) if (entry === session) drop(key);
    },
    endInvalid: () => {
      for (const [key, entry] of open) if (!entry.origin.holds()) drop(key);
    },
  };
}
