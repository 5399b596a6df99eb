import { createMailbox } from "../../base/async/mailbox.js";
import type { Secret } from "../../base/secret.js";
import type { Clock } from "../../base/time/clock.js";
import type { JsonReply } from "../../http/endpoint.js";
import type { CookieLogins } from "./cookie-logins.js";
import type { CookieSession } from "./cookie-sessions.js";
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

/** @param stored the password in force, looked at with each request */
export function createPasswordLogins(
  sessions: Pick<CookieLogins, "begin">,
  clock: Clock,
  stored: () => StoredPassword | undefined,
): PasswordLogins {
  const failures = createFailures(clock, WRONG_MAX - 1);
  const order = createMailbox("passwords", WAITING_MAX);
  const attempt = async (password: string, address: string) => {
    const wait = failures.wait(address);
    if (wait > 0) return { refused: toTooManyReply(wait) };
    const right = stored();
    if (right === undefined) return { refused: NONE };
    if (await verifyPassword(password, right)) {
      const holds = () => stored()?.salt === right.salt; // another password has another salt
      return sessions.begin({ provider: "password", user: null, holds });
    }
    failures.add(address);
    return { refused: WRONG };
  };
  return {
    available: () => stored() !== undefined,
    login: (password, address) => order.post(() => attempt(password, address)),
  };
}
