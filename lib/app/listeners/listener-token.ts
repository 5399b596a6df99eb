import { AppError } from "../../base/errors.js";
import type { Ids } from "../../base/ids.js";
import { canonicalHost, isLoopback } from "../../http/host.js";

/** The token of a listener that other machines can reach. */
export interface ListenerToken {
  readonly text: string;
  /** It was made for this start, and is shown by it alone. */
  readonly made: boolean;
}

const VARIABLE = "AGENT_PROXY_TOKEN";
const LEAST_CHARS = 32;
const MOST_CHARS = 512;

/** The one form of a host to listen on, in which places are compared. @throws E_USAGE when it cannot be one */
export function hostToBind(given: string): string {
  const host = canonicalHost(given);
  if (host === undefined) throw new AppError("E_USAGE", `invalid host ${JSON.stringify(given)}`);
  return host;
}

/**
 * What clients of a listener on `host` have to present; undefined on loopback.
 *
 * @param host as `hostToBind` gives it
 * @throws E_USAGE when the token that was given is too weak
 */
export function tokenFor(host: string, given: string | undefined, ids: Ids): ListenerToken | undefined {
  if (isLoopback(host)) return undefined;
  if (given === undefined || given === "") return { text: ids.token(), made: true };
  if (given.length < LEAST_CHARS || given.length > MOST_CHARS || !/^[\x21-\x7e]+$/.test(given))
    throw new AppError("E_USAGE", `${VARIABLE} must be ${LEAST_CHARS} to ${MOST_CHARS} visible ASCII characters`, {
      hint: "use a random value, or unset it to generate one at each start",
    });
  return { text: given, made: false };
}

/** The token that the user keeps, which wins over one of the caller's environment. */
export const givenToken = (env: Readonly<Record<string, string | undefined>>): string | undefined => env[VARIABLE];

/** A listener that opens by itself cannot show its token to a user. @throws E_CONFIG */
export function refuseUntold(host: string, token: ListenerToken | undefined): void {
  if (token?.made !== true) return;
  throw new AppError("E_CONFIG", `${host} can be reached from other machines, but ${VARIABLE} is not set`, {
    hint: `set ${VARIABLE} in .env, or proxy.host to 127.0.0.1`,
  });
}
