import { unlessAborted } from "../base/async/aborted.js";
import { AppError } from "../base/errors.js";
import type { Log } from "../base/log/log.js";
import { parseRateLimitResetMs } from "../base/time/rate-limit-reset.js";
import type { EpochMs } from "../base/units.js";
import type { Credential, CredentialSource } from "../contracts/models/credentials.js";
import { deadReason } from "../contracts/models/pool.js";
import { sameText } from "../safety/redact/same-text.js";
import { addressesOf } from "./core/addresses.js";
import { hasSecret, readProviderSettings } from "./core/credentials.js";
import type { Descriptor } from "./core/descriptors.js";
import type { LoginEntry } from "./core/entry.js";
import type { LoginPool, LoginPoolDeps } from "./pool.js";
import type { Refreshed, Refresher } from "./refresh.js";

export interface SourceDeps extends LoginPoolDeps {
  readonly pool: LoginPool;
  readonly refresher: Refresher;
  readonly log: Log;
  /** Work that has to be done before the process ends. */
  readonly owe: (work: Promise<void>) => void;
}

/**
 * The credentials of one provider, for the sender of requests to it.
 *
 * @param only Credentials of this kind alone; default: of both
 */
export function createSource(deps: SourceDeps, descriptor: Descriptor, only?: LoginEntry["type"]): CredentialSource {
  const { pool, refresher, clock } = deps;
  const others = (): readonly string[] =>
    only === undefined ? [] : pool.entries().flatMap(({ id, type }) => (type === only ? [] : [id]));
  /** Renewed bearers that have not served a request yet, by login. One that is refused before it serves will not be accepted after another renewal. */
  const unproven = new Map<string, string>();
  const live = () =>
    pool.entries().filter((entry) => entry.status !== "dead" && hasSecret(entry) && !others().includes(entry.id));
  const next = (tried: Set<string>, signal: AbortSignal) => take(deps, descriptor, tried, signal);
  const other = async (failed: Credential, signal: AbortSignal): Promise<Credential | undefined> => {
    const tried = new Set([failed.entry, ...others()]);
    return pool.pick(tried) === undefined ? undefined : next(tried, signal);
  };
  const refusedLogin = async (
    entry: LoginEntry,
    failed: Credential,
    signal: AbortSignal,
  ): Promise<Credential | undefined> => {
    if (entry.accessToken !== undefined && !sameText(entry.accessToken.reveal(), failed.bearer))
      return credentialOf(deps, descriptor, entry);
    if (sameText(unproven.get(entry.id) ?? "", failed.bearer)) {
      await pool.failed(entry, { cause: "auth", code: "401", message: "rejected right after renewal" });
      return other(failed, signal);
    }
    const result = await unlessAborted(refresher.refresh(descriptor, entry), signal);
    if (result.kind !== "fresh") return other(failed, signal);
    const credential = credentialOf(deps, descriptor, result.entry);
    unproven.set(entry.id, credential.bearer);
    return credential;
  };
  return {
    isAuthenticated: () => live().length > 0,
    get: (signal) => next(new Set(others()), signal),
    retry: async (failed, status, headers, signal) => {
      const entry = pool.entries().find((one) => one.id === failed.entry);
      if (status === 401 && entry?.type === "oauth") return refusedLogin(entry, failed, signal);
      if (status === 429 && descriptor.passesLimits) return undefined;
      if (status !== 401 && status !== 429) return undefined;
      if (entry !== undefined) await pool.failed(entry, markOf(status, headers, clock.now()));
      return other(failed, signal);
    },
    succeeded: (used) => {
      if (sameText(unproven.get(used.entry) ?? "", used.bearer)) unproven.delete(used.entry);
      const entry = pool.entries().find((one) => one.id === used.entry);
      if (entry === undefined) return;
      deps.owe(
        pool
          .succeeded(entry)
          .catch((error: unknown) => deps.log.warning("failed to mark a login as valid", { error: String(error) })),
      );
    },
    state: () => {
      const entry = pool.pick(new Set(others())) ?? live()[0];
      if (entry === undefined) {
        const over = deps.store.view().authError(descriptor.id);
        return { authenticated: false, ...(over === undefined ? {} : { error: over.message }) };
      }
      const error = refresher.trouble(entry.id) ?? (entry.status === "exhausted" ? entry.errorMessage : undefined);
      const { expiresAt } = entry;
      return {
        authenticated: true,
        ...(expiresAt === undefined ? {} : { expiresAt }),
        ...(error === undefined ? {} : { error }),
      };
    },
  };
}

/** The first credential that can be used, renewed where that is due. @param tried those that are not to be taken; grows */
async function take(
  deps: SourceDeps,
  descriptor: Descriptor,
  tried: Set<string>,
  signal: AbortSignal,
): Promise<Credential> {
  const { pool, refresher } = deps;
  const excluded = new Set(tried);
  let late: (Refreshed & { kind: "later" }) | undefined;
  for (;;) {
    signal.throwIfAborted();
    const entry = pool.pick(tried);
    if (entry === undefined) throw late === undefined ? pool.problem(excluded) : unrenewed(descriptor, late);
    const due = refresher.isDue(entry, descriptor);
    const result: Refreshed = due
      ? await unlessAborted(refresher.refresh(descriptor, entry), signal)
      : { kind: "fresh", entry };
    // What could not be renewed is good until its end.
    const usable =
      result.kind === "fresh" ? result.entry : result.kind === "later" && !refresher.isOver(entry) ? entry : undefined;
    if (usable !== undefined) {
      deps.owe(
        pool
          .used(usable)
          .catch((error: unknown) => deps.log.warning("failed to count uses of logins", { error: String(error) })),
      );
      return credentialOf(deps, descriptor, usable);
    }
    if (result.kind === "later") late ??= result;
    tried.add(entry.id);
  }
}

function unrenewed(descriptor: Descriptor, { message, until }: Refreshed & { kind: "later" }): AppError {
  return new AppError("E_AUTH", `the login to ${descriptor.name} has expired and could not be renewed: ${message}`, {
    provider: descriptor.id,
    ...(until === undefined ? {} : { until }),
    hint: `agent auth refresh ${descriptor.id} retries; agent auth add ${descriptor.id} creates a new login`,
  });
}

function credentialOf(deps: SourceDeps, descriptor: Descriptor, entry: LoginEntry): Credential {
  const configured = readProviderSettings(deps.config, descriptor.id)?.["base_url"];
  const stored = deps.store.view().provider(descriptor.id);
  const baseUrl =
    entry.baseUrl ??
    (typeof configured === "string" ? configured : addressesOf(deps.config, descriptor, stored).inference_url);
  if (baseUrl === undefined || entry.accessToken === undefined) {
    throw new AppError("E_CONFIG", `no base URL configured for ${descriptor.id}`, {
      provider: descriptor.id,
      hint: `agent config set auth.providers.${descriptor.id}.inference_url URL`,
    });
  }
  return {
    baseUrl,
    bearer: entry.accessToken.reveal(),
    entry: entry.id,
    ...(entry.tokenType === undefined || /^bearer$/i.test(entry.tokenType) ? {} : { tokenType: entry.tokenType }),
    ...(entry.expiresAt === undefined ? {} : { expiresAt: entry.expiresAt }),
  };
}

function markOf(status: number, headers: Readonly<Record<string, string>>, now: EpochMs) {
  if (status === 429) {
    const told = parseRateLimitResetMs(headers, "", now);
    return { cause: "rate_limit", code: "429", message: "rate-limited", told } as const;
  }
  const reason = deadReason(headers["www-authenticate"] ?? "");
  return { cause: "auth", code: "401", reason, dead: reason !== undefined, message: "refused" } as const;
}
