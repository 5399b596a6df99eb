import type { EpochMs, Ms } from "../../base/units.js";
import { type Addresses, below } from "../core/addresses.js";
import { postForm, postJson, readBodyText, readErrorBody } from "../core/http.js";
import { type Flow, type FlowPorts, type LoginAnswer, type LoginHooks, type Refused, refused } from "./flow.js";
import { refreshAnswer, tokensIn } from "./token-answer.js";

const CODE = "/api/accounts/deviceauth/usercode";
const POLL = "/api/accounts/deviceauth/token";
const PAGE = "/codex/device";
const TOKEN = "/oauth/token";
const CALLBACK = "/deviceauth/callback";

const LEAST_PAUSE_MS: Ms = 3_000;
const LIFETIME_MS: Ms = 15 * 60_000;
/** The user has not typed the code yet. */
const PENDING = [403, 404];

/** The user types a code at the vendor's page, which gives this program a code of its own to exchange (proxy part, 7.2). */
export const vendorDevice: Flow = {
  source: "device_code",
  needs: ["issuer", "client_id", "inference_url"],
  login: async (ports, addresses, hooks) => {
    const begun = await begin(ports, addresses, hooks.signal);
    if ("kind" in begun) return begun;
    await hooks.told({ url: at(addresses, PAGE), code: begun.code, expiresAt: begun.expiresAt });
    const proof = await poll(ports, addresses, begun, hooks);
    return "kind" in proof ? proof : exchange(ports, addresses, proof, hooks.signal);
  },
  refresh: async ({ net, clock }, addresses, token) => {
    const fields = { grant_type: "refresh_token", client_id: addresses.client_id, refresh_token: token.reveal() };
    return refreshAnswer(await postForm(net, at(addresses, TOKEN), fields), clock.now());
  },
};

const at = ({ issuer = "" }: Addresses, path: string): string => below(issuer, path);

interface Begun {
  readonly code: string;
  readonly device: string;
  readonly pause: Ms;
  readonly expiresAt: EpochMs;
}

async function begin({ net, clock }: FlowPorts, addresses: Addresses, signal: AbortSignal): Promise<Begun | Refused> {
  const answer = await postJson(net, at(addresses, CODE), { client_id: addresses.client_id }, signal);
  if (answer.kind === "silence") return refused("unreachable", answer.message);
  const { status, body } = answer;
  if (status !== 200)
    return refused(
      readErrorBody(body).code ?? "authorization_failed",
      readErrorBody(body).message ?? `the vendor responded ${status}`,
    );
  const code = readBodyText(body, "user_code");
  const device = readBodyText(body, "device_auth_id");
  if (code === undefined || device === undefined)
    return refused("authorization_incomplete", "the vendor's response lacks a code");
  const interval = Number(body["interval"]) * 1_000;
  return { code, device, pause: Math.max(LEAST_PAUSE_MS, interval || 0), expiresAt: clock.now() + LIFETIME_MS };
}

interface Proof {
  readonly code: string;
  readonly verifier: string;
}

async function poll(
  { net, clock }: FlowPorts,
  addresses: Addresses,
  begun: Begun,
  hooks: LoginHooks,
): Promise<Proof | Refused> {
  const until = clock.mono() + Math.min(LIFETIME_MS, hooks.timeoutMs ?? LIFETIME_MS);
  while (clock.mono() + begun.pause <= until) {
    await clock.sleep(begun.pause, hooks.signal);
    const asked = { device_auth_id: begun.device, user_code: begun.code };
    const answer = await postJson(net, at(addresses, POLL), asked, hooks.signal);
    if (answer.kind === "silence" || PENDING.includes(answer.status)) continue; // the code still holds
    const { status, body } = answer;
    if (status !== 200)
      return refused("authorization_failed", readErrorBody(body).message ?? `the vendor responded ${status}`);
    const code = readBodyText(body, "authorization_code");
    const verifier = readBodyText(body, "code_verifier");
    if (code !== undefined && verifier !== undefined) return { code, verifier };
    return refused("authorization_incomplete", "the vendor's response lacks a code to exchange");
  }
  return refused("timeout", "the code expired before it was confirmed");
}

async function exchange(
  { net, clock }: FlowPorts,
  addresses: Addresses,
  proof: Proof,
  signal: AbortSignal,
): Promise<LoginAnswer> {
  const fields = {
    grant_type: "authorization_code",
    client_id: addresses.client_id,
    code: proof.code,
    code_verifier: proof.verifier,
    redirect_uri: at(addresses, CALLBACK),
  };
  const answer = await postForm(net, at(addresses, TOKEN), fields, { signal });
  if (answer.kind === "silence") return refused("unreachable", answer.message);
  const tokens = answer.status === 200 ? tokensIn(answer.body, clock.now()) : undefined;
  if (tokens !== undefined) return { kind: "tokens", tokens };
  const { code = "token_exchange_failed", message } = readErrorBody(answer.body);
  return refused(code, message ?? `the vendor responded ${answer.status}`);
}
