import { AppError } from "../../base/errors.js";
import { isRecord } from "../../base/json/record.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import type { PluginProvider } from "../../contracts/plugins/context.js";
import type { DashboardAuthProvider } from "../../contracts/plugins/dashboard-login.js";
import type { LoginProvider, LoginProviders } from "../../dashboard/access/login-providers.js";
import { canonicalHost, isLoopback } from "../../http/host.js";
import { callWithTimeLimit } from "../../plugins/host/within.js";

const BEGIN_MS: Ms = 10_000;
const COMPLETE_MS: Ms = 30_000;
const URL_MAX = 8_192;
const NAME_MAX = 200;

/** The logins of plugins. `add` is what the registry of plugins hands them to. */
export interface LoginRegistry extends Omit<LoginProviders, "ready"> {
  /** @throws E_INVALID for a label that is not a text, and for a name that stands for something else */
  add(provider: PluginProvider): () => void;
}

export function createLoginRegistry(clock: Clock): LoginRegistry {
  const known = new Map<string, LoginProvider>();
  const listeners = new Set<() => void>();
  return {
    list: () => [...known.values()],
    find: (name) => known.get(name),
    onRemoved: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    add: (given) => {
      const provider = toLoginProvider(given, clock);
      known.set(provider.name, provider);
      return () => {
        if (known.get(provider.name) === provider) known.delete(provider.name);
        for (const removed of listeners) removed();
      };
    },
  };
}

/** Holders of a token and of the password differ by these words. */
const TAKEN: ReadonlySet<string> = new Set(["password", "token"]);

function toLoginProvider(given: PluginProvider, clock: Clock): LoginProvider {
  const own = given as DashboardAuthProvider; // a name and both methods, which the registry has looked at
  const { name, label = name } = own;
  if (TAKEN.has(name)) throw new AppError("E_INVALID", `dashboard_auth ${name}: the name is taken`);
  if (!isLine(label)) throw new AppError("E_INVALID", `dashboard_auth ${name}: label must be a text on one line`);
  return {
    name,
    label,
    begin: async (start) =>
      toAddress(await bounded(clock, BEGIN_MS, "begin", (signal) => own.begin({ ...start, signal }))),
    complete: async (answer) =>
      toUser(await bounded(clock, COMPLETE_MS, "complete", (signal) => own.complete({ ...answer, signal }))),
  };
}

async function bounded<T>(
  clock: Clock,
  limit: Ms,
  what: string,
  call: (signal: AbortSignal) => T | Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  try {
    return await callWithTimeLimit(clock, limit, what, () => call(ended.signal));
  } finally {
    ended.abort(new AppError("E_INTERRUPTED", `${what} is over`));
  }
}

/** A browser is sent to nothing but a page; what it is sent with goes over TLS, or stays on this machine. */
function toAddress(answer: unknown): string {
  const text = isRecord(answer) ? answer["url"] : undefined;
  const url = typeof text === "string" && text.length <= URL_MAX && URL.canParse(text) ? new URL(text) : undefined;
  const isOwn = url?.protocol === "http:" && isLoopback(canonicalHost(url.hostname) ?? "");
  if (url === undefined || url.username !== "" || url.password !== "" || !(url.protocol === "https:" || isOwn))
    throw new AppError("E_INVALID", "begin must return {url}: https, or http on this machine");
  return url.href;
}

function toUser(answer: unknown): string | undefined {
  if (answer === undefined || answer === null || answer === false) return undefined;
  const user = isRecord(answer) ? answer["user"] : undefined;
  if (!isLine(user))
    throw new AppError("E_INVALID", "complete must return {user}, or nothing for an account that may not log in");
  return user;
}

const isLine = (text: unknown): text is string =>
  typeof text === "string" && text.length > 0 && text.length <= NAME_MAX && !/\p{C}/u.test(text);
