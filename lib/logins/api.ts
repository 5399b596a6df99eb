import { AppError, ambiguousName } from "../base/errors.js";
import type { AuthApi, AuthEntry, AuthList, AuthProvider, AuthWays } from "../contracts/models/auth.js";
import { addKey, logInProvider } from "./add.js";
import type { AuthDeps } from "./auth-deps.js";
import { readProviderSettings } from "./core/credentials.js";
import { DESCRIPTORS, type Descriptor } from "./core/descriptors.js";
import { isBorrowed, type LoginEntry } from "./core/entry.js";
import { flowOf } from "./flows/flows.js";
import type { Logins } from "./logins.js";
import { logout } from "./logout.js";
import { CLEARED } from "./pool.js";

/** The logins as commands see them. */
export function createAuthApi(deps: AuthDeps): AuthApi {
  const { logins } = deps;
  return {
    ways: async (name) => waysOf(logins.provider(name)),
    list: async (name) => list(deps, name === undefined ? undefined : logins.provider(name)),
    status: async (name) => {
      const descriptor = logins.provider(name);
      const { authenticated, error } = logins.source(descriptor.id).state();
      const rows = rowsOf(logins, descriptor);
      const row = rows.find((one) => one.current) ?? rows.find((one) => one.status !== "dead");
      return {
        provider: descriptor.id,
        name: descriptor.name,
        logged_in: authenticated,
        type: row?.type ?? null,
        account: row?.label ?? null,
        region: row?.region ?? null,
        expires_at: row?.expires_at ?? null,
        error: error ?? logins.store.view().authError(descriptor.id)?.message ?? null,
      };
    },
    addKey: async (name, key, options) => {
      const descriptor = logins.provider(name);
      return rowOf(logins, descriptor, await addKey(deps, descriptor, key, options));
    },
    login: async (name, options) => {
      const descriptor = logins.provider(name);
      const { id, warnings } = await logInProvider(deps, descriptor, options);
      return { entry: rowOf(logins, descriptor, id), warnings };
    },
    remove: async (name, which, clean) => remove(deps, logins.provider(name), which, clean),
    reset: async (name) => reset(logins, logins.provider(name)),
    refresh: async (name, all) => refresh(logins, logins.provider(name), all),
    logout: async (name) => logout(deps, logins.provider(name)),
  };
}

function waysOf(descriptor: Descriptor): AuthWays {
  const { id, name, keyVariables = [], regions = {}, notice = null } = descriptor;
  const way = descriptor.flow === undefined ? "none" : flowOf(descriptor) === undefined ? "missing" : "here";
  return {
    id,
    name,
    keyVariables,
    notice,
    regions: Object.keys(regions),
    login: way,
  };
}

function list(deps: AuthDeps, only: Descriptor | undefined): AuthList {
  const { logins, config } = deps;
  const { store } = logins;
  const named = config.raw("providers");
  const configured =
    typeof named === "object" && named !== null
      ? Object.keys(named).filter((id) => readProviderSettings(config, id))
      : [];
  const ids = [...new Set([...DESCRIPTORS.map(({ id }) => id), ...configured, ...store.view().ids])];
  const known = only === undefined ? ids.flatMap((id) => knownOf(logins, id)) : [only];
  const all = known.map((descriptor): AuthProvider => {
    const error = store.view().authError(descriptor.id)?.message ?? null;
    return { provider: descriptor.id, name: descriptor.name, entries: rowsOf(logins, descriptor), error };
  });
  const has = ({ entries, error }: AuthProvider) => entries.length > 0 || error !== null;
  return {
    providers: all.filter((one) => only !== undefined || has(one)),
    absent: all.filter((one) => !has(one)).map(({ provider }) => provider),
    problems: store.problems(),
  };
}

/** A provider that has left the settings keeps its credentials, which cannot be used meanwhile. */
function knownOf(logins: Logins, id: string): readonly Descriptor[] {
  try {
    return [logins.provider(id)];
  } catch (error) {
    if (error instanceof AppError && error.code === "E_USAGE") return [];
    throw error;
  }
}

function rowsOf(logins: Logins, descriptor: Descriptor): readonly AuthEntry[] {
  const pool = logins.pool(descriptor);
  const current = pool.pick()?.id;
  return pool.entries().map((entry, at) => toRow(entry, at + 1, entry.id === current, pool.rests(entry)));
}

function rowOf(logins: Logins, descriptor: Descriptor, id: string): AuthEntry {
  const row = rowsOf(logins, descriptor).find((one) => one.id === id);
  if (row === undefined) throw new AppError("E_STATE", `credential ${id} of ${descriptor.id} has been removed`);
  return row;
}

function toRow(entry: LoginEntry, index: number, current: boolean, rests: boolean): AuthEntry {
  const { id, label, type, source, scope, priority, requests } = entry;
  const status = entry.status === "dead" ? "dead" : rests ? "exhausted" : "ok";
  const why = status === "ok" ? undefined : entry;
  return {
    index,
    id,
    label,
    type,
    source,
    scope,
    priority,
    status,
    requests,
    current,
    reason: why?.errorReason ?? null,
    message: why?.errorMessage ?? null,
    reset_at: status === "exhausted" ? (entry.resetAt ?? null) : null,
    expires_at: entry.expiresAt ?? null,
    region: entry.region ?? null,
  };
}

/** Place, id or label. */
function find(rows: readonly AuthEntry[], provider: string, which: string): AuthEntry {
  const hint = `agent auth list ${provider} lists them`;
  const place = /^#?\d{1,6}$/.test(which) ? rows[Number(which.replace("#", "")) - 1] : undefined;
  const found = place === undefined ? rows.filter((row) => row.id === which || row.label === which) : [place];
  const [first] = found;
  if (first === undefined)
    throw new AppError("E_NOT_FOUND", `no credential ${JSON.stringify(which)} of ${provider}`, { provider, hint });
  if (found.length === 1) return first;
  const ids = found.map(({ id }) => id);
  throw ambiguousName(`several credentials of ${provider} match ${JSON.stringify(which)}: ${ids.join(", ")}`, {
    ids,
    hint,
  });
}

async function remove(
  deps: AuthDeps,
  descriptor: Descriptor,
  which: string,
  clean: boolean,
): ReturnType<AuthApi["remove"]> {
  const { logins } = deps;
  const entry = find(rowsOf(logins, descriptor), descriptor.id, which);
  await logins.store.update((document) => {
    document.drop(descriptor.id, entry.id);
    if (isBorrowed(entry.source)) document.suppress(descriptor.id, entry.source);
  });
  const variable = entry.source.startsWith("env:") ? entry.source.slice("env:".length) : undefined;
  const gone = variable === undefined || (clean && (await deps.removeVariable(variable)));
  return { entry, variable: gone ? null : variable };
}

function reset(logins: Logins, { id }: Descriptor): Promise<number> {
  return logins.store.update((document) => {
    const marked = document
      .entries(id)
      .filter((entry) => entry.status === "exhausted" || (entry.status === "dead" && entry.type === "api_key"));
    for (const entry of marked) document.patch(id, entry.id, CLEARED);
    return marked.length;
  });
}

async function refresh(logins: Logins, descriptor: Descriptor, all: boolean): ReturnType<AuthApi["refresh"]> {
  const own = logins
    .pool(descriptor)
    .entries()
    .filter((entry) => entry.type === "oauth" && entry.status !== "dead");
  const current = logins.pool(descriptor).pick();
  const wanted = all ? own : own.filter((entry) => entry.id === current?.id);
  const chosen = wanted.length > 0 ? wanted : own.slice(0, 1);
  if (chosen.length === 0) {
    throw new AppError("E_AUTH", `no login to ${descriptor.name} to renew`, {
      provider: descriptor.id,
      hint: `agent auth add ${descriptor.id}`,
    });
  }
  const done: { entry: AuthEntry; problem?: string }[] = [];
  for (const entry of chosen) {
    const result = await logins.refresher.refresh(descriptor, entry, true);
    const row = rowOf(logins, descriptor, entry.id);
    done.push(result.kind === "fresh" ? { entry: row } : { entry: row, problem: result.message });
  }
  return done;
}
