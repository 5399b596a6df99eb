import { toAppError } from "../../base/errors.js";
import type { Clock } from "../../base/time/clock.js";
import { toIso } from "../../base/units.js";
import type { OpenListener } from "../../contracts/owner/listeners.js";
import type { ProxyAdapter, ProxyAdapterStatus, ProxyStatus } from "../../contracts/owner/proxy.js";
import type { Counts } from "../../proxy/server.js";

export interface StatusParts {
  readonly open: readonly OpenListener[];
  readonly counts: (url: string) => Counts;
  readonly adapters: readonly ProxyAdapter[];
  /** Why the listener that was wanted with the owner is not there. */
  readonly failure: string | undefined;
  /** Ask each login for its credential. */
  readonly check: boolean;
  readonly clock: Clock;
}

/** How long a login may take to answer. */
const CHECK_MS = 30_000;

/** What is open, and how the logins stand. */
export async function proxyStatus({
  open,
  counts,
  adapters,
  failure,
  check,
  clock,
}: StatusParts): Promise<ProxyStatus> {
  const listeners = open.map(({ url, serves, host, port, since }) => ({
    url,
    provider: serves,
    host,
    port,
    since: toIso(since),
    ...counts(url),
  }));
  const states: ProxyAdapterStatus[] = [];
  for (const adapter of adapters) states.push(await stateOf(adapter, check, clock));
  return { listeners, adapters: states, ...(failure !== undefined && { autostart_error: failure }) };
}

async function stateOf(adapter: ProxyAdapter, check: boolean, clock: Clock): Promise<ProxyAdapterStatus> {
  const failed = check && adapter.isAuthenticated() ? await checked(adapter, clock) : undefined;
  const { expiresAt, error } = adapter.state();
  return {
    name: adapter.name,
    display_name: adapter.displayName,
    authenticated: adapter.isAuthenticated(),
    expires_at: expiresAt === undefined ? null : toIso(expiresAt),
    error: failed ?? error ?? null,
  };
}

async function checked(adapter: ProxyAdapter, clock: Clock): Promise<string | undefined> {
  const late = new AbortController();
  const disarm = clock.after(CHECK_MS, () =>
    late.abort(new Error(`no response from the login within ${CHECK_MS / 1000} s`)),
  );
  try {
    await adapter.getCredential(late.signal);
    return undefined;
  } catch (error) {
    return toAppError(error).message;
  } finally {
    disarm();
  }
}
