import { createHash } from "node:crypto";
import { join } from "node:path";
import * as z from "zod";
import { makeDirectory, readText, removeFile, writeAtomic } from "../../../lib/base/fs/files.js";
import type { Ids } from "../../../lib/base/ids.js";
import type { Net } from "../../../lib/base/net/net.js";
import { Secret } from "../../../lib/base/secret.js";
import type { Clock } from "../../../lib/base/time/clock.js";
import { toIso } from "../../../lib/base/units.js";
import { sameText } from "../../../lib/safety/redact/same-text.js";
import { httpCall, parseJsonText } from "../common/http.js";
import type { MsggSettings } from "./settings.js";
import { ClientFileShape, TokenShape } from "./wire.js";

export interface GrantDeps {
  readonly settings: Pick<MsggSettings, "oauthBase" | "consentBase">;
  readonly net: Net;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Directory of the home. */
  readonly home: string;
}

/** What users granted: each their own, never used for another. `email` is that of the user who asks. */
export interface Grants {
  status(email: string): Promise<"no client" | "none" | "pending" | "granted">;
  /** Address where the user agrees; undefined: the operator has installed no client file. */
  begin(email: string): Promise<string | undefined>;
  /** Take what the user brings back: a code, or the whole address. */
  finish(email: string, given: string, signal: AbortSignal): Promise<Finished>;
  /** False: it did not exist. */
  revoke(email: string, signal: AbortSignal): Promise<boolean>;
  /** A token that is good now. `fresh`: the last one was refused. */
  token(email: string, signal: AbortSignal, fresh?: boolean): Promise<GrantToken>;
}

export type Finished = "granted" | "not begun" | "wrong state" | "no code" | "refused" | "unreachable";
export type GrantToken =
  | { readonly found: "token"; readonly token: Secret }
  | { readonly found: "none" }
  | { readonly found: "unreachable" };

/** The only scope that is asked for: making messages, which files are part of. */
const SCOPE = "https://www.googleapis.com/auth/chat.messages.create";
const REDIRECT = "http://localhost:1";
const PENDING_MS = 600_000;
const EARLY_MS = 120_000;
const PRIVATE = 0o600;

const Pending = z.object({ email: z.string(), state: z.string(), verifier: z.string(), until: z.number() });
const Stored = z.object({
  email: z.string(),
  refresh_token: z.string(),
  access_token: z.string(),
  expiry: z.string(),
  scopes: z.array(z.string()),
  created_at: z.string(),
});
type StoredGrant = z.infer<typeof Stored>;

/** Where the operator's client file lies in a home. */
const clientFileIn = (home: string): string => join(home, "msgg_user_client_secret.json");

/** Name of a user's file: nothing in an address leads elsewhere. */
const fileName = (email: string): string => `${email.toLowerCase().replace(/[^a-z0-9@._+-]/g, "_")}.json`;

interface Parts extends GrantDeps {
  readonly grantAt: (email: string) => string;
  readonly pendingAt: (email: string) => string;
}

export function createGrants(deps: GrantDeps): Grants {
  const dir = join(deps.home, "msgg_user_tokens");
  const parts: Parts = {
    ...deps,
    grantAt: (email) => join(dir, fileName(email)),
    pendingAt: (email) => join(dir, "pending", fileName(email)),
  };
  let queue: Promise<unknown> = Promise.resolve();
  /** One after another: two that renew one token would each throw the other's away. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = queue.then(work);
    queue = mine.catch(() => undefined);
    return mine;
  };
  return {
    status: async (email) => {
      if ((await clientOf(deps.home)) === undefined) return "no client";
      if ((await grantOf(parts, email)) !== undefined) return "granted";
      return (await pendingOf(parts, email)) === undefined ? "none" : "pending";
    },
    begin: (email) => inTurn(() => begin(parts, email)),
    finish: (email, given, signal) => inTurn(() => finish(parts, { email, given }, signal)),
    revoke: (email, signal) => inTurn(() => revoke(parts, email, signal)),
    token: (email, signal, fresh = false) => inTurn(() => tokenOf(parts, { email, fresh }, signal)),
  };
}

const jsonAt = async (path: string): Promise<unknown> => parseJsonText((await readText(path)) ?? "");

async function clientOf(
  home: string,
): Promise<{ readonly client_id: string; readonly client_secret: string } | undefined> {
  return ClientFileShape.safeParse(await jsonAt(clientFileIn(home))).data;
}

/** Two addresses may share a file name: only its own user finds a grant in it. */
async function grantOf({ grantAt }: Parts, email: string): Promise<StoredGrant | undefined> {
  const found = Stored.safeParse(await jsonAt(grantAt(email))).data;
  return found?.email === email.toLowerCase() ? found : undefined;
}

async function pendingOf({ pendingAt, clock }: Parts, email: string): Promise<z.infer<typeof Pending> | undefined> {
  const found = Pending.safeParse(await jsonAt(pendingAt(email))).data;
  return found?.email === email.toLowerCase() && clock.now() < found.until ? found : undefined;
}

async function write(path: string, value: object): Promise<void> {
  await makeDirectory(join(path, ".."), 0o700);
  await writeAtomic(path, `${JSON.stringify(value, null, 2)}\n`, PRIVATE);
}

async function begin(parts: Parts, email: string): Promise<string | undefined> {
  const client = await clientOf(parts.home);
  if (client === undefined) return undefined;
  const verifier = parts.ids.hex(32);
  const state = parts.ids.hex(16);
  await write(parts.pendingAt(email), {
    email: email.toLowerCase(),
    state,
    verifier,
    until: parts.clock.now() + PENDING_MS,
  });
  const query = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: REDIRECT,
    response_type: "code",
    scope: SCOPE,
    state,
    access_type: "offline",
    prompt: "consent",
    code_challenge_method: "S256",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
  });
  return `${parts.settings.consentBase}/o/oauth2/v2/auth?${query}`;
}

/** The code of an address or of itself; its state where it comes with one. */
function brought(given: string): { readonly code: string; readonly state: string | undefined } {
  if (!URL.canParse(given)) return { code: given, state: undefined };
  const { searchParams } = new URL(given);
  return { code: searchParams.get("code") ?? "", state: searchParams.get("state") ?? "" };
}

async function finish(
  parts: Parts,
  { email, given }: { readonly email: string; readonly given: string },
  signal: AbortSignal,
): Promise<Finished> {
  const pending = await pendingOf(parts, email);
  const client = await clientOf(parts.home);
  if (pending === undefined || client === undefined) return "not begun";
  const { code, state } = brought(given);
  if (state !== undefined && !sameText(state, pending.state)) return "wrong state";
  if (code === "") return "no code";
  await removeFile(parts.pendingAt(email)); // whatever comes of it, it is used
  const form = {
    grant_type: "authorization_code",
    code,
    code_verifier: pending.verifier,
    redirect_uri: REDIRECT,
    ...client,
  };
  const answer = await httpCall(parts.net, { method: "POST", url: `${parts.settings.oauthBase}/token`, form, signal });
  if (!answer.got || answer.status >= 500) return "unreachable";
  const token = answer.status === 200 ? TokenShape.safeParse(parseJsonText(answer.text)).data : undefined;
  if (token?.refresh_token === undefined) return "refused";
  const now = parts.clock.now();
  await write(parts.grantAt(email), {
    email: email.toLowerCase(),
    refresh_token: token.refresh_token,
    access_token: token.access_token,
    expiry: toIso(now + token.expires_in * 1000),
    scopes: (token.scope ?? SCOPE).split(" "),
    created_at: toIso(now),
  } satisfies StoredGrant);
  return "granted";
}

async function revoke(parts: Parts, email: string, signal: AbortSignal): Promise<boolean> {
  const grant = await grantOf(parts, email);
  await removeFile(parts.pendingAt(email));
  if (grant === undefined) return false;
  // What the platform says of it changes nothing: the file goes.
  await httpCall(parts.net, {
    method: "POST",
    url: `${parts.settings.oauthBase}/revoke`,
    form: { token: grant.refresh_token },
    signal,
  });
  await removeFile(parts.grantAt(email));
  return true;
}

async function tokenOf(
  parts: Parts,
  { email, fresh }: { readonly email: string; readonly fresh: boolean },
  signal: AbortSignal,
): Promise<GrantToken> {
  const grant = await grantOf(parts, email);
  const client = await clientOf(parts.home);
  if (grant === undefined || client === undefined) return { found: "none" };
  const now = parts.clock.now();
  if (!fresh && now < Date.parse(grant.expiry) - EARLY_MS)
    return { found: "token", token: new Secret(grant.access_token) };
  const form = { grant_type: "refresh_token", refresh_token: grant.refresh_token, ...client };
  const answer = await httpCall(parts.net, { method: "POST", url: `${parts.settings.oauthBase}/token`, form, signal });
  if (!answer.got || answer.status >= 500 || answer.status === 429) return { found: "unreachable" };
  const token = answer.status === 200 ? TokenShape.safeParse(parseJsonText(answer.text)).data : undefined;
  if (token === undefined) return { found: "none" };
  const { access_token, expires_in, refresh_token = grant.refresh_token } = token;
  await write(parts.grantAt(email), { ...grant, access_token, refresh_token, expiry: toIso(now + expires_in * 1000) });
  return { found: "token", token: new Secret(access_token) };
}
