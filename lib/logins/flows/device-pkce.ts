import type { Ids } from "../../base/ids.js";
import { Secret } from "../../base/secret.js";
import type { EpochMs, Ms } from "../../base/units.js";
import { sameText } from "../../safety/redact/same-text.js";
import { type Addresses, below } from "../core/addresses.js";
import { type FormReply, postForm, readBodyText, readErrorBody } from "../core/http.js";
import {
  type Flow,
  type FlowPorts,
  type LoginAnswer,
  type LoginHooks,
  type RefreshAnswer,
  type Refused,
  refused,
  type Tokens,
} from "./flow.js";
import { proofKey } from "./proof.js";

const CODE = "/oauth/code";
const TOKEN = "/oauth/token";
const GRANT = "urn:ietf:params:oauth:grant-type:user_code";
const LEAST_PAUSE_MS: Ms = 2_000;

/** Reasons in a body after which a refresh token is worth nothing (proxy part, 7.3). */
const TERMINAL = ["invalid_grant", "refresh_token_reused", "invalid_refresh_token"];

/** A code with proof of who asked for it (proxy part, 7.3). Portal and host for requests are those of one region. */
export const devicePkce: Flow = {
  source: "device_code",
  needs: ["portal_url", "client_id", "inference_url"],
  login: async (ports, addresses, hooks) => {
    const { verifier, challenge, state } = secretsFrom(ports.ids);
    const { client_id, scope } = addresses;
    const fields = {
      response_type: "code",
      client_id,
      scope,
      code_challenge: challenge,
      code_challenge_method: "S256",
      state,
    };
    const headers = { "x-request-id": ports.ids.hex(16) };
    const begun = startedBy(
      await postForm(ports.net, at(addresses, CODE), fields, { signal: hooks.signal, headers }),
      ports,
      state,
    );
    if ("kind" in begun) return begun;
    await hooks.told({ url: begun.url, code: begun.code, expiresAt: begun.expiresAt });
    return poll(ports, addresses, { ...begun, verifier }, hooks);
  },
  refresh: async ({ net, clock }, addresses, token) => {
    const fields = { grant_type: "refresh_token", client_id: addresses.client_id, refresh_token: token.reveal() };
    return refreshed(await postForm(net, at(addresses, TOKEN), fields), clock.now());
  },
};

const at = ({ portal_url = "" }: Addresses, path: string): string => below(portal_url, path);

/** What proves who asked, and 128 random bits. */
const secretsFrom = (ids: Ids) => ({ ...proofKey(ids), state: Buffer.from(ids.hex(16), "hex").toString("base64url") });

interface Started {
  readonly url: string;
  readonly code: string;
  readonly expiresAt: EpochMs;
  readonly pause: Ms;
}

function startedBy(answer: FormReply, { clock }: FlowPorts, state: string): Started | Refused {
  if (answer.kind === "silence") return refused("unreachable", answer.message);
  const { body, status } = answer;
  if (status !== 200)
    return refused("authorization_failed", readErrorBody(body).message ?? `the portal responded ${status}`);
  const code = readBodyText(body, "user_code");
  const url = readBodyText(body, "verification_uri");
  const expiresAt = endOf(body["expired_in"], clock.now());
  const told = readBodyText(body, "state");
  if (code === undefined || url === undefined || expiresAt === undefined || told === undefined)
    return refused("authorization_incomplete", "the portal's response lacks a code, address, expiry or state");
  if (!sameText(told, state)) return refused("state_mismatch", "the portal's response belongs to another login");
  const interval = Number(body["interval"]);
  return { url, code, expiresAt, pause: Math.max(LEAST_PAUSE_MS, Number.isFinite(interval) ? interval : 0) };
}

/** Milliseconds since the epoch where it is large enough for that, else seconds from now. */
function endOf(value: unknown, now: EpochMs): EpochMs | undefined {
  const number = typeof value === "number" || typeof value === "string" ? Number(value) : Number.NaN;
  if (!Number.isFinite(number) || number <= 0) return undefined;
  return number > now / 2 ? number : now + number * 1_000;
}

async function poll(
  { net, clock }: FlowPorts,
  addresses: Addresses,
  started: Started & { readonly verifier: string },
  { signal, timeoutMs }: LoginHooks,
): Promise<LoginAnswer> {
  const until = clock.mono() + Math.min(started.expiresAt - clock.now(), timeoutMs ?? Number.POSITIVE_INFINITY);
  const fields = {
    grant_type: GRANT,
    client_id: addresses.client_id,
    user_code: started.code,
    code_verifier: started.verifier,
  };
  while (clock.mono() + started.pause <= until) {
    await clock.sleep(started.pause, signal);
    const answer = await postForm(net, at(addresses, TOKEN), fields, { signal });
    if (answer.kind === "silence") continue; // the code still holds
    const { body, status } = answer;
    if (status !== 200)
      return refused("token_exchange_failed", readErrorBody(body).message ?? `the portal responded ${status}`);
    if (body["status"] === "error")
      return refused("authorization_denied", readErrorBody(body).message ?? "the login was denied at the portal");
    if (body["status"] !== "success") continue;
    const tokens = tokensIn(body, clock.now());
    return tokens?.refresh === undefined || tokens.expiresAt === undefined
      ? refused("token_incomplete", "the portal's response lacks tokens or their lifetime")
      : { kind: "tokens", tokens };
  }
  return refused("timeout", "the code expired before it was confirmed");
}

function tokensIn(body: Readonly<Record<string, unknown>>, now: EpochMs): Tokens | undefined {
  const access = readBodyText(body, "access_token");
  if (access === undefined) return undefined;
  const refresh = readBodyText(body, "refresh_token");
  return {
    access: new Secret(access),
    refresh: refresh === undefined ? undefined : new Secret(refresh),
    type: readBodyText(body, "token_type"),
    expiresAt: endOf(body["expired_in"], now),
    scope: readBodyText(body, "scope"),
  };
}

function refreshed(answer: FormReply, now: EpochMs): RefreshAnswer {
  if (answer.kind === "silence") return { kind: "later", message: answer.message };
  const { status, body } = answer;
  if (status >= 500 || status === 429) return { kind: "later", message: `the portal responded ${status}` };
  const text = JSON.stringify(body);
  const named = TERMINAL.find((word) => text.includes(word));
  const said = readErrorBody(body).message;
  if (named !== undefined) return { kind: "terminal", code: named, message: said ?? `the portal reports ${named}` };
  if (status === 200 && body["status"] !== "success")
    return { kind: "terminal", code: "invalid_grant", message: said ?? "the portal refused" };
  const tokens = status === 200 ? tokensIn(body, now) : undefined;
  return tokens === undefined
    ? { kind: "later", message: `the portal responded ${status}` }
    : { kind: "tokens", tokens };
}
