import { createPrivateKey, sign } from "node:crypto";
import { readText } from "../../../lib/base/fs/files.js";
import type { Net } from "../../../lib/base/net/net.js";
import { Secret } from "../../../lib/base/secret.js";
import type { Clock } from "../../../lib/base/time/clock.js";
import type { Ms } from "../../../lib/base/units.js";
import { baseAddress } from "../common/base-address.js";
import { httpCall, parseJsonText, type Refusal } from "../common/http.js";
import type { MsggLibrary } from "./library.js";
import type { MsggSettings } from "./settings.js";
import { ServiceAccountShape, TokenShape } from "./wire.js";

/** A token, nothing where none is needed, or why it could not be had: nothing was sent to the platform then. */
export type TokenFound =
  | { readonly found: "token"; readonly token: Secret; readonly expiresAt: number }
  | { readonly found: "open" }
  | { readonly found: "none"; readonly seen: Refusal };

/** Tokens of the bot. `fresh`: the last one was refused. */
export interface BotTokens {
  get(signal: AbortSignal, fresh?: boolean): Promise<TokenFound>;
}

export interface ServiceAccount {
  readonly email: string;
  readonly key: Secret;
  readonly tokenUri: string;
}

const SCOPES = ["https://www.googleapis.com/auth/chat.bot", "https://www.googleapis.com/auth/pubsub"];
const TOKEN_URI = "https://oauth2.googleapis.com/token";
const EARLY_MS: Ms = 120_000;
const HOUR_S = 3600;

/** The service account of the settings; undefined when they name none. `problem` says what is wrong with it. */
export async function readAccount(
  settings: MsggSettings,
): Promise<ServiceAccount | undefined | { readonly problem: string }> {
  const { credentials } = settings;
  if (credentials === undefined) return undefined;
  const inline = credentials.startsWith("{");
  const text = inline ? credentials : await readText(credentials).catch(() => undefined);
  const where = inline ? "MSGG_SERVICE_ACCOUNT_JSON" : `the file ${credentials}`;
  if (text === undefined)
    return {
      problem: `${where} cannot be read: MSGG_SERVICE_ACCOUNT_JSON must be the path of a key file, or its JSON`,
    };
  const read = ServiceAccountShape.safeParse(parseJsonText(text)).data;
  if (read === undefined) return { problem: `${where} holds no key of a service account` };
  try {
    createPrivateKey(read.private_key);
    const tokenUri = baseAddress("token_uri of the key file", read.token_uri ?? TOKEN_URI, false);
    return { email: read.client_email, key: new Secret(read.private_key), tokenUri };
  } catch (error) {
    const why =
      error instanceof Error && error.message.includes("token_uri") ? error.message : "its private key cannot be read";
    return { problem: `${where}: ${why}` };
  }
}

export interface CredentialDeps {
  readonly net: Net;
  readonly clock: Clock;
  readonly library: MsggLibrary;
}

/** Tokens of a service account, or of what the machine offers. Kept until shortly before their end; one request at a time. */
export function botTokens(account: ServiceAccount | undefined, open: boolean, deps: CredentialDeps): BotTokens {
  if (account === undefined && open) return { get: async () => ({ found: "open" }) };
  const ask = account === undefined ? ambient(deps.library) : (signal: AbortSignal) => granted(account, deps, signal);
  let kept: Extract<TokenFound, { readonly found: "token" }> | undefined;
  let asking: Promise<TokenFound> | undefined;
  return {
    get: async (signal, fresh = false) => {
      if (!fresh && kept !== undefined && deps.clock.now() < kept.expiresAt - EARLY_MS) return kept;
      asking ??= ask(signal).finally(() => {
        asking = undefined;
      });
      const found = await asking;
      kept = found.found === "token" ? found : undefined;
      return found;
    },
  };
}

async function granted(
  { email, key, tokenUri }: ServiceAccount,
  { net, clock }: CredentialDeps,
  signal: AbortSignal,
): Promise<TokenFound> {
  const now = Math.floor(clock.now() / 1000);
  const claims = { iss: email, scope: SCOPES.join(" "), aud: tokenUri, iat: now, exp: now + HOUR_S };
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const signed = `${part({ alg: "RS256", typ: "JWT" })}.${part(claims)}`;
  const assertion = `${signed}.${sign("RSA-SHA256", Buffer.from(signed), key.reveal()).toString("base64url")}`;
  const form = { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion };
  const answer = await httpCall(net, { method: "POST", url: tokenUri, form, signal });
  // Whatever became of this request, nothing of the message was sent.
  if (!answer.got) return { found: "none", seen: { saw: "unsent", error: `no token: ${answer.seen.error}` } };
  const read = answer.status === 200 ? TokenShape.safeParse(parseJsonText(answer.text)).data : undefined;
  if (read !== undefined) {
    return { found: "token", token: new Secret(read.access_token), expiresAt: clock.now() + read.expires_in * 1000 };
  }
  const error = `the token endpoint answered ${answer.status}`;
  if (answer.status >= 500 || answer.status === 429) return { found: "none", seen: { saw: "unsent", error } };
  return {
    found: "none",
    seen: { saw: "answer", status: 401, ownFormat: true, credential: true, error: `${error}: ${REFUSED_KEY}` },
  };
}

const REFUSED_KEY =
  "the platform refuses the service account: put a key that is valid now into MSGG_SERVICE_ACCOUNT_JSON";

/** What the machine offers: its metadata server, or a login of its user. The library knows when to renew. */
function ambient({ GoogleAuth }: MsggLibrary): () => Promise<TokenFound> {
  const auth = new GoogleAuth({ scopes: SCOPES });
  return async () => {
    try {
      const token = await auth.getAccessToken();
      if (!token) throw new Error("missing credentials");
      return { found: "token", token: new Secret(token), expiresAt: 0 };
    } catch (error) {
      const why = error instanceof Error ? error.message.split("\n")[0] : String(error);
      const said = `no credentials: ${why}; set MSGG_SERVICE_ACCOUNT_JSON to the key file of a service account`;
      return { found: "none", seen: { saw: "answer", status: 401, ownFormat: true, credential: true, error: said } };
    }
  };
}
