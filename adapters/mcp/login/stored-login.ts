import { join } from "node:path";
import {
  type AuthProvider,
  extractWWWAuthenticateParams,
  type FetchLike,
  OAuthError,
  refreshAuthorization,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { lockFile } from "../../../lib/base/process/file-lock.js";
import { sha256 } from "../../../lib/base/text/hash.js";
import type { Ms } from "../../../lib/base/units.js";
import { mcpLoginDir } from "../../../lib/contracts/mcp/logins.js";
import type { McpLoginParts } from "./parts.js";
import { createMcpTokenStore, type FoundTokens, type McpTokenStore } from "./token-store.js";

/** A token that expires within this is renewed before it is used. */
const EARLY_MS: Ms = 30_000;

/** How long the renewal of another process is waited for; the server decides about the token then. */
const LOCK_MS: Ms = 30_000;

/** Renewals of this process by home and issuer: one at a time for all servers, sessions and workers. */
const renewing = new Map<string, Promise<unknown>>();

export interface StoredLoginOptions {
  readonly name: string;
  readonly fetch: FetchLike;
  readonly parts: Pick<McpLoginParts, "home" | "clock" | "ids" | "spawner">;
}

interface Own extends StoredLoginOptions {
  readonly store: McpTokenStore;
}

/**
 * The login of a server as its requests use it. Nothing but `agent mcp login` asks a person, and nothing here removes what is stored: a refusal
 * may be the server's own trouble.
 */
export function storedLogin(options: StoredLoginOptions): AuthProvider {
  const own: Own = { ...options, store: createMcpTokenStore(options.parts.home, options.parts.clock) };
  /** The token that the last request had: another one may be stored by the time it is refused. */
  let sent: string | undefined;
  return {
    token: async () => {
      const found = await own.store.tokens(own.name);
      if (found === undefined) return undefined;
      const fresh = expiresSoon(own, found) ? await renewed(own, found).catch(() => found) : found; // the server decides about it
      sent = fresh.tokens.access_token;
      return sent;
    },
    onUnauthorized: async () => {
      const found = await own.store.tokens(own.name);
      if (found === undefined) throw needsLogin(own.name, "not logged in");
      if (found.tokens.access_token === sent) await renewed(own, found);
    },
  };
}

/** Requests of a server that may say which scope it wants besides: the next login asks for it. */
export function notingScopes({ name, fetch: send, parts }: StoredLoginOptions): FetchLike {
  const store = createMcpTokenStore(parts.home, parts.clock);
  return async (url, init) => {
    const response = await send(url, init);
    if (response.status !== 403) return response;
    const { error, scope } = extractWWWAuthenticateParams(response);
    if (error === "insufficient_scope" && scope !== undefined) {
      const known = await store.discovery(name);
      const all = new Set(`${known?.["wanted_scope"] ?? ""} ${scope}`.trim().split(/\s+/));
      await store.saveDiscovery(name, { ...known, wanted_scope: [...all].join(" ") });
    }
    return response;
  };
}

const expiresSoon = ({ parts }: Own, { expiresAt, tokens }: FoundTokens): boolean =>
  expiresAt !== undefined && tokens.refresh_token !== undefined && expiresAt - parts.clock.now() < EARLY_MS;

/** The tokens that took the place of these. @throws UnauthorizedError when a person has to log in again */
async function renewed(own: Own, old: FoundTokens): Promise<FoundTokens> {
  const key = `${own.parts.home.dir}\n${old.issuer}`;
  const before = renewing.get(key) ?? Promise.resolve();
  const mine = before.then(() => alone(own, old, () => renew(own, old)));
  const settled = mine.catch(() => undefined); // told to its own caller
  renewing.set(key, settled);
  try {
    return await mine;
  } finally {
    if (renewing.get(key) === settled) renewing.delete(key);
  }
}

/** Another owner or command of the home renews none of the issuer's meanwhile: an issuer that rotates refresh tokens takes each of them once. */
async function alone<T>({ parts }: Own, { issuer }: FoundTokens, work: () => Promise<T>): Promise<T> {
  const path = join(mcpLoginDir(parts.home), "locks", `${sha256(issuer).slice(0, 16)}.lock`);
  const lock = await lockFile(path, parts, { ms: LOCK_MS });
  try {
    return await work();
  } finally {
    lock.release();
  }
}

async function renew({ name, store, fetch }: Own, old: FoundTokens): Promise<FoundTokens> {
  const now = await store.tokens(name, old.issuer);
  if (now !== undefined && now.tokens.access_token !== old.tokens.access_token) return now; // another process was first
  const refreshToken = old.tokens.refresh_token;
  if (refreshToken === undefined) throw needsLogin(name, "the login has expired");
  const clientInformation = await store.client(name, old.issuer);
  if (clientInformation === undefined) throw needsLogin(name, "the stored login is incomplete");
  const { metadata, resource } = await placesOf(store, name);
  try {
    const tokens = await refreshAuthorization(old.issuer, {
      ...(metadata === undefined ? {} : { metadata: metadata as never }), // as the issuer published it, when the login was made
      clientInformation,
      refreshToken,
      ...(resource === undefined ? {} : { resource: new URL(resource) }),
      fetchFn: fetch,
    });
    await store.saveTokens(name, old.issuer, { ...tokens });
  } catch (error) {
    if (error instanceof OAuthError) throw needsLogin(name, `the issuer refused to renew the login: ${error.message}`);
    throw error;
  }
  return (await store.tokens(name, old.issuer)) ?? old;
}

async function placesOf(store: McpTokenStore, name: string) {
  const { authorizationServerMetadata: metadata, resource } = (await store.discovery(name)) ?? {};
  return { metadata, resource: typeof resource === "string" ? resource : undefined };
}

function needsLogin(name: string, why: string): UnauthorizedError {
  return new UnauthorizedError(`${why}; agent mcp login ${name}`);
}
