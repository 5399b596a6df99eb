import {
  auth,
  extractWWWAuthenticateParams,
  type FetchLike,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
} from "@modelcontextprotocol/client";
import { AppError, toAppError } from "../../../lib/base/errors.js";
import type { McpEntry } from "../../../lib/contracts/mcp/entry.js";
import type { McpLoginAsk } from "../../../lib/contracts/mcp/mcp.js";
import { sameText } from "../../../lib/safety/redact/same-text.js";
import type { McpLoginParts } from "./parts.js";
import { createMcpTokenStore, type McpTokenStore } from "./token-store.js";

export interface McpLogIn {
  readonly name: string;
  readonly entry: Pick<McpEntry, "oauth"> & { readonly url: string };
  readonly ask: McpLoginAsk;
  readonly signal: AbortSignal;
  readonly fetch: FetchLike;
  readonly parts: McpLoginParts;
}

/** What the browser brought back. */
interface Came {
  readonly code: string;
  readonly iss?: string;
}

/** Log in with a browser, and store what came of it. @throws E_AUTH naming the reason; nothing is stored then */
export async function logInToServer(login: McpLogIn): Promise<void> {
  const { name, entry, ask, parts } = login;
  const state = parts.ids.token();
  const callback = waitForCallback(state);
  // A person who pastes has their browser elsewhere: nothing on this machine hears of it.
  const listener = await parts.listen(entry.oauth.redirect_port, callback.take);
  const flow = createFlow(login, { state, redirectUrl: listener.url });
  try {
    const challenge = await challengeOf(login);
    const step = stepOf(login, flow.provider, challenge);
    await step();
    const came = await within(login, Promise.race([callback.came, pasted(ask, state)]));
    await step(came);
    await flow.keep();
  } catch (error) {
    login.signal.throwIfAborted();
    throw loginError(name, error);
  } finally {
    await listener.close();
  }
}

/** What the server wants of a login, as it answers to a client without one. */
interface Challenge {
  readonly resourceMetadataUrl?: URL;
  readonly scope?: string;
}

const HELLO = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "agent", version: "0" } },
};

async function challengeOf({ entry, fetch: send, signal, name, parts }: McpLogIn): Promise<Challenge> {
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const response = await send(entry.url, { method: "POST", headers, body: JSON.stringify(HELLO), signal });
  await response.body?.cancel();
  const { resourceMetadataUrl, scope } = response.status === 401 ? extractWWWAuthenticateParams(response) : {};
  const store = createMcpTokenStore(parts.home, parts.clock);
  const scopes = [entry.oauth.scope, scope, (await store.discovery(name))?.["wanted_scope"]];
  const all = new Set(
    scopes.flatMap((one) => (typeof one === "string" ? one.split(/\s+/) : [])).filter((one) => one !== ""),
  );
  return {
    ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
    ...(all.size === 0 ? {} : { scope: [...all].join(" ") }),
  };
}

const stepOf =
  ({ entry, fetch }: McpLogIn, provider: OAuthClientProvider, challenge: Challenge) =>
  (came?: Came) =>
    auth(provider, {
      serverUrl: entry.url,
      fetchFn: fetch,
      ...challenge,
      ...(came === undefined
        ? {}
        : { authorizationCode: came.code, ...(came.iss === undefined ? {} : { iss: came.iss }) }),
    });

function loginError(name: string, error: unknown): AppError {
  if (error instanceof AppError) return error;
  const { message } = toAppError(error);
  return new AppError(
    "E_AUTH",
    `login to ${name} failed: ${message}`,
    { name, hint: `agent mcp login ${name}` },
    error,
  );
}

interface Flow {
  readonly provider: OAuthClientProvider;
  /** Store what the issuer is, for renewals. */
  keep(): Promise<void>;
}

/** One login: its secrets live in memory, what it brings in the store. */
function createFlow(
  { name, entry, ask, parts }: McpLogIn,
  { state, redirectUrl }: { readonly state: string; readonly redirectUrl: string },
): Flow {
  const store = createMcpTokenStore(parts.home, parts.clock);
  const { client_id, client_secret, client_name = "agent", scope } = entry.oauth;
  let verifier = "";
  let discovery: OAuthDiscoveryState | undefined;
  let resource: string | undefined;
  const given: StoredOAuthClientInformation | undefined =
    client_id === undefined ? undefined : { client_id, ...(client_secret === undefined ? {} : { client_secret }) };
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: {
      client_name,
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: client_secret === undefined ? "none" : "client_secret_post",
      ...(scope === undefined ? {} : { scope }),
    },
    state: () => state,
    clientInformation: async (ctx) =>
      given === undefined
        ? await registered(store, name, { issuer: ctx?.issuer, redirectUrl })
        : { ...given, ...(ctx === undefined ? {} : { issuer: ctx.issuer }) },
    saveClientInformation: async (client, ctx) => {
      if (ctx !== undefined) await store.saveClient(name, ctx.issuer, { ...client });
    },
    tokens: () => undefined, // a person logs in because what is stored is of no use, or another account is wanted
    saveTokens: async (tokens, ctx) => {
      if (ctx === undefined) throw new AppError("E_AUTH", "the authorization server did not say who it is");
      if (given !== undefined) await store.saveClient(name, ctx.issuer, { ...given });
      await store.saveTokens(name, ctx.issuer, { ...tokens });
    },
    redirectToAuthorization: (url) => {
      resource = url.searchParams.get("resource") ?? undefined;
      return ask.open(url.href);
    },
    saveCodeVerifier: (text) => {
      verifier = text;
    },
    codeVerifier: () => verifier,
    saveDiscoveryState: (found) => {
      discovery = found;
    },
    discoveryState: () => discovery,
  };
  const keep = async () => {
    const { wanted_scope } = (await store.discovery(name)) ?? {};
    const more = {
      ...(resource === undefined ? {} : { resource }),
      ...(wanted_scope === undefined ? {} : { wanted_scope }),
    };
    if (discovery !== undefined) await store.saveDiscovery(name, { ...discovery, ...more });
  };
  return { provider, keep };
}

/** A registration holds for the addresses that it was made with. */
async function registered(
  store: McpTokenStore,
  name: string,
  { issuer, redirectUrl }: { readonly issuer: string | undefined; readonly redirectUrl: string },
): Promise<StoredOAuthClientInformation | undefined> {
  const known = issuer === undefined ? undefined : await store.client(name, issuer);
  const addresses = known?.["redirect_uris"];
  return Array.isArray(addresses) && addresses.includes(redirectUrl) ? known : undefined;
}

/** The first request with the right state is the one; all others get their page and leave the login waiting. */
function waitForCallback(state: string) {
  let settle: (came: Came) => void = () => undefined;
  let fail: (error: AppError) => void = () => undefined;
  let done = false;
  const came = new Promise<Came>((resolve, reject) => {
    settle = resolve;
    fail = reject;
  });
  came.catch(() => undefined); // reported to its waiter
  const take = (query: URLSearchParams) => {
    if (done || !sameText(query.get("state") ?? "", state))
      return { ok: false, text: "No login is waiting for this page." };
    const error = query.get("error");
    if (error !== null) {
      done = true;
      fail(refusedBy(query, error));
      return { ok: false, text: "Login denied. You can close this page." };
    }
    const found = cameIn(query);
    if (found === undefined) return { ok: false, text: "The authorization server did not send a code." };
    done = true;
    settle(found);
    return { ok: true, text: "The login is being completed. You can close this page." };
  };
  return { take, came };
}

function cameIn(query: URLSearchParams): Came | undefined {
  const code = query.get("code");
  const iss = query.get("iss");
  if (code === null || code === "") return undefined;
  return { code, ...(iss === null ? {} : { iss }) };
}

const refusedBy = (query: URLSearchParams, error: string): AppError =>
  new AppError(
    "E_AUTH",
    `the authorization server refused: ${(query.get("error_description") ?? error).slice(0, 300)}`,
  );

/** What a person pastes: an address, its query, or the code alone. Never settles where nothing can be pasted. */
async function pasted({ paste }: McpLoginAsk, state: string): Promise<Came> {
  if (paste === undefined) return new Promise<never>(() => undefined);
  const text = (await paste())?.trim() ?? "";
  if (text === "") throw new AppError("E_AUTH", "nothing was pasted");
  if (!/[?&=]/.test(text)) return { code: text };
  const query = URL.canParse(text)
    ? new URL(text).searchParams
    : new URLSearchParams(text.slice(text.indexOf("?") + 1));
  const told = query.get("state");
  if (told !== null && !sameText(told, state))
    throw new AppError("E_AUTH", "the pasted address belongs to another login");
  const error = query.get("error");
  if (error !== null) throw refusedBy(query, error);
  const found = cameIn(query);
  if (found === undefined) throw new AppError("E_AUTH", "no code in the pasted text");
  return found;
}

async function within({ entry, signal, parts }: McpLogIn, came: Promise<Came>): Promise<Came> {
  const { timeout } = entry.oauth;
  const over = new AbortController();
  const late = parts.clock.sleep(timeout * 1000, AbortSignal.any([signal, over.signal])).then((): never => {
    throw new AppError("E_AUTH", `no answer from the browser within ${timeout} s`);
  });
  late.catch(() => undefined); // told below, unless the browser was first
  try {
    return await Promise.race([came, late]);
  } finally {
    over.abort();
  }
}
