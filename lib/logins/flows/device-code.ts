import { ownEntry } from "../../base/json/record.js";
import type { EpochMs, Ms } from "../../base/units.js";
import { type Addresses, below } from "../core/addresses.js";
import { type FormReply, postForm, readBodyText, readErrorBody } from "../core/http.js";
import { type Flow, type FlowPorts, type LoginAnswer, type LoginHooks, type Refused, refused } from "./flow.js";
import { refreshAnswer, tokensIn } from "./token-answer.js";

const CODE = "/api/oauth/device/code";
const TOKEN = "/api/oauth/token";
const REVOKE = "/api/oauth/revoke";
const GRANT = "urn:ietf:params:oauth:grant-type:device_code";

/** RFC 8628, 3.2 and 3.5. */
const INTERVAL_MS: Ms = 5_000;
const SLOWER_MS: Ms = 5_000;
const LIFETIME_MS: Ms = 15 * 60_000;

/** The user confirms a code at the portal while this program asks whether it was done (proxy part, 7.4). */
export const deviceCode: Flow = {
  source: "device_code",
  needs: ["portal_url", "client_id", "inference_url"],
  login: async (ports, addresses, hooks) => {
    const { client_id, scope } = addresses;
    const begun = await postForm(ports.net, at(addresses, CODE), { client_id, scope }, hooks);
    const started = startedBy(begun, ports.clock.now());
    if ("kind" in started) return started;
    const { url, code, expiresAt } = started;
    await hooks.told({ url, code, expiresAt });
    return poll(ports, addresses, started, hooks);
  },
  refresh: async ({ net, clock }, addresses, token) => {
    const fields = { grant_type: "refresh_token", client_id: addresses.client_id, refresh_token: token.reveal() };
    return refreshAnswer(await postForm(net, at(addresses, TOKEN), fields), clock.now());
  },
  revoke: async ({ net }, addresses, token) => {
    const fields = { token: token.reveal(), token_type_hint: "refresh_token", client_id: addresses.client_id };
    const answer = await postForm(net, at(addresses, REVOKE), fields);
    return answer.kind === "answer" && answer.status >= 200 && answer.status < 300;
  },
};

const at = ({ portal_url = "" }: Addresses, path: string): string => below(portal_url, path);

interface Started {
  readonly deviceCode: string;
  readonly url: string;
  readonly code: string;
  readonly expiresAt: EpochMs;
  readonly intervalMs: Ms;
}

function startedBy(answer: FormReply, now: EpochMs): Started | Refused {
  if (answer.kind === "silence") return refused("unreachable", answer.message);
  const { status, body } = answer;
  const device = readBodyText(body, "device_code");
  const code = readBodyText(body, "user_code");
  const url = readBodyText(body, "verification_uri_complete") ?? readBodyText(body, "verification_uri");
  if (status !== 200) return refusedBy(answer, "authorization_failed");
  if (device === undefined || code === undefined || url === undefined)
    return refused("authorization_incomplete", "the portal's response lacks a code or an address");
  const seconds = (name: string, otherwise: Ms) => (Number(body[name]) > 0 ? Number(body[name]) * 1_000 : otherwise);
  return {
    deviceCode: device,
    url,
    code,
    expiresAt: now + seconds("expires_in", LIFETIME_MS),
    intervalMs: seconds("interval", INTERVAL_MS),
  };
}

async function poll(
  ports: FlowPorts,
  addresses: Addresses,
  started: Started,
  { signal, timeoutMs }: LoginHooks,
): Promise<LoginAnswer> {
  const { net, clock } = ports;
  const left = Math.min(started.expiresAt - clock.now(), timeoutMs ?? Number.POSITIVE_INFINITY);
  const until = clock.mono() + left;
  let pause = started.intervalMs;
  for (;;) {
    if (clock.mono() + pause > until) return refused("timeout", "the code expired before it was confirmed");
    await clock.sleep(pause, signal);
    const fields = { grant_type: GRANT, device_code: started.deviceCode, client_id: addresses.client_id };
    const answer = await postForm(net, at(addresses, TOKEN), fields, { signal });
    // No answer, or the portal is busy: the code still holds.
    if (answer.kind === "silence" || answer.status >= 500) continue;
    const tokens = answer.status === 200 ? tokensIn(answer.body, clock.now()) : undefined;
    if (tokens !== undefined) return { kind: "tokens", tokens };
    if (answer.status === 200) return refused("token_incomplete", "the portal's response lacks an access token");
    const { code } = readErrorBody(answer.body);
    if (code === "slow_down" || answer.status === 429) pause += SLOWER_MS;
    else if (code !== "authorization_pending") return refusedBy(answer, "authorization_denied");
  }
}

function refusedBy(answer: FormReply & { kind: "answer" }, otherwise: string) {
  const { code = otherwise, message } = readErrorBody(answer.body);
  return refused(code, message ?? ownEntry(WORDS, code) ?? `the portal responded ${answer.status}: ${code}`);
}

const WORDS: Readonly<Record<string, string>> = {
  access_denied: "the login was denied at the portal",
  expired_token: "the code expired before it was confirmed",
};
