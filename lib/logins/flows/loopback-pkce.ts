import type { Ids } from "../../base/ids.js";
import { isRecord, jsonOf } from "../../base/json/record.js";
import type { Ms } from "../../base/units.js";
import { sameText } from "../../safety/redact/same-text.js";
import { type Addresses, below, isSafeAddress, sameSite } from "../core/addresses.js";
import { getJson, postForm, readBodyText, readErrorBody } from "../core/http.js";
import {
  type Flow,
  type FlowPorts,
  type LoginAnswer,
  type LoginHooks,
  type Refused,
  refused,
  type TakeCallback,
} from "./flow.js";
import { proofKey } from "./proof.js";
import { refreshAnswer, tokensIn } from "./token-answer.js";

/** Where the vendor sends the browser back to; any other port when it is taken. */
const PORT = 56_121;
const TIMEOUT_MS: Ms = 20_000;
const LEAST_WAIT_MS: Ms = 30_000;

/** The browser brings the code back to a listener on this machine (proxy part, 7.1). */
export const loopbackPkce: Flow = {
  pastes: true,
  source: "loopback_pkce",
  needs: ["issuer", "client_id", "inference_url"],
  login: async (ports, addresses, hooks) => {
    const places = await discover(ports, addresses, hooks.signal);
    if ("kind" in places) return places;
    const secrets = secretsFrom(ports.ids);
    if (hooks.paste !== undefined) return byHand(ports, { addresses, places, secrets }, hooks, hooks.paste);
    const callback = waitFor(secrets.state);
    const listener = await hooks.listen(PORT, callback.take);
    try {
      const url = authorizeUrl(places.authorize, addresses, secrets, listener.url);
      const waitMs = Math.max(LEAST_WAIT_MS, 9 * (hooks.timeoutMs ?? TIMEOUT_MS));
      await hooks.told({ url, code: "", expiresAt: ports.clock.now() + waitMs });
      const came = await within(ports, hooks.signal, waitMs, callback.came);
      if (came.kind === "refused") return came;
      return await exchange(
        ports,
        places.token,
        { ...secrets, addresses, redirect: listener.url, code: came.code },
        hooks,
      );
    } finally {
      await listener.close();
    }
  },
  refresh: async (ports, addresses, token) => {
    const places = await discover(ports, addresses, undefined);
    if ("kind" in places) return { kind: "later", message: places.message };
    const fields = { grant_type: "refresh_token", client_id: addresses.client_id, refresh_token: token.reveal() };
    return refreshAnswer(await postForm(ports.net, places.token, fields), ports.clock.now());
  },
};

interface Places {
  readonly authorize: string;
  readonly token: string;
}

/** What the issuer says of itself counts only within its own domain. */
async function discover(
  { net }: FlowPorts,
  { issuer = "" }: Addresses,
  signal: AbortSignal | undefined,
): Promise<Places | Refused> {
  const answer = await getJson(net, below(issuer, "/.well-known/openid-configuration"), signal);
  if (answer.kind === "silence") return refused("unreachable", answer.message);
  if (answer.status !== 200) return refused("discovery_failed", `the issuer responded ${answer.status}`);
  const authorize = readBodyText(answer.body, "authorization_endpoint");
  const token = readBodyText(answer.body, "token_endpoint");
  if (authorize === undefined || token === undefined)
    return refused("discovery_failed", "the issuer's metadata lacks the login address");
  const foreign = [authorize, token].find((place) => !isSafeAddress(place) || !sameSite(place, issuer));
  if (foreign !== undefined)
    return refused("foreign_endpoint", `the issuer uses an address outside its domain: ${foreign.slice(0, 200)}`);
  return { authorize, token };
}

/** Nothing listens: the browser is somewhere else, and the user brings what it ends at. */
async function byHand(
  ports: FlowPorts,
  { addresses, places, secrets }: { readonly addresses: Addresses; readonly places: Places; readonly secrets: Secrets },
  hooks: LoginHooks,
  paste: () => Promise<string>,
): Promise<LoginAnswer> {
  const redirect = `http://127.0.0.1:${PORT}/callback`;
  const url = authorizeUrl(places.authorize, addresses, secrets, redirect);
  await hooks.told({ url, code: "", expiresAt: ports.clock.now() + 9 * (hooks.timeoutMs ?? TIMEOUT_MS) });
  const came = codeIn((await paste()).trim(), secrets.state);
  hooks.signal.throwIfAborted();
  return came.kind === "refused"
    ? came
    : exchange(ports, places.token, { ...secrets, addresses, redirect, code: came.code }, hooks);
}

/** An address, its query, or the code alone. */
function codeIn(text: string, state: string): Came {
  if (text === "") return refused("no_code", "nothing pasted");
  if (!/[?&=]/.test(text)) return { kind: "code", code: text };
  const query = URL.canParse(text)
    ? new URL(text).searchParams
    : new URLSearchParams(text.slice(text.indexOf("?") + 1));
  const told = query.get("state");
  if (told !== null && !sameText(told, state))
    return refused("state_mismatch", "the pasted address belongs to another login");
  const error = query.get("error");
  if (error !== null) return refused(error.slice(0, 100), (query.get("error_description") ?? error).slice(0, 300));
  const code = query.get("code");
  return code === null || code === "" ? refused("no_code", "no code in the pasted text") : { kind: "code", code };
}

interface Secrets {
  readonly verifier: string;
  readonly challenge: string;
  readonly state: string;
  readonly nonce: string;
}

function secretsFrom(ids: Ids): Secrets {
  return { ...proofKey(ids), state: ids.token(), nonce: ids.token() };
}

function authorizeUrl(
  place: string,
  { client_id = "", scope = "" }: Addresses,
  secrets: Secrets,
  redirect: string,
): string {
  const url = new URL(place);
  const fields = {
    response_type: "code",
    client_id,
    redirect_uri: redirect,
    scope: [...new Set([...scope.split(/\s+/).filter((word) => word !== ""), "offline_access"])].join(" "),
    code_challenge: secrets.challenge,
    code_challenge_method: "S256",
    state: secrets.state,
    nonce: secrets.nonce,
  };
  for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value);
  return url.href;
}

type Came = { readonly kind: "code"; readonly code: string } | Refused;

/** The first request with the right state is the one; all others leave the login waiting. */
function waitFor(state: string): { readonly take: TakeCallback; readonly came: Promise<Came> } {
  let settle: (came: Came) => void = () => undefined;
  let done = false;
  const came = new Promise<Came>((resolve) => {
    settle = resolve;
  });
  const end = (what: Came) => {
    done = true;
    settle(what);
  };
  const take: TakeCallback = (query) => {
    if (done || !sameText(query.get("state") ?? "", state))
      return { ok: false, text: "No login is waiting for this page." };
    const error = query.get("error");
    const code = query.get("code");
    if (error !== null) {
      end(refused(error.slice(0, 100), (query.get("error_description") ?? error).slice(0, 300)));
      return { ok: false, text: "Login denied. You can close this page." };
    }
    if (code === null || code === "") return { ok: false, text: "The vendor did not send a code." };
    end({ kind: "code", code });
    return { ok: true, text: "You are logged in. You can close this page." };
  };
  return { take, came };
}

async function within({ clock }: FlowPorts, signal: AbortSignal, ms: Ms, came: Promise<Came>): Promise<Came> {
  const stop = new AbortController();
  const late = async (): Promise<Came> => {
    await clock.sleep(ms, AbortSignal.any([signal, stop.signal]));
    return refused("timeout", "no response from the browser in time");
  };
  const waiting = late();
  waiting.catch(() => undefined); // told below, unless the browser was first
  try {
    return await Promise.race([came, waiting]);
  } finally {
    stop.abort();
  }
}

interface Exchange extends Secrets {
  readonly addresses: Addresses;
  readonly redirect: string;
  readonly code: string;
}

async function exchange(
  { net, clock }: FlowPorts,
  token: string,
  given: Exchange,
  { signal }: LoginHooks,
): Promise<LoginAnswer> {
  const fields = {
    grant_type: "authorization_code",
    code: given.code,
    redirect_uri: given.redirect,
    client_id: given.addresses.client_id,
    code_verifier: given.verifier,
    code_challenge: given.challenge,
    code_challenge_method: "S256",
  };
  const answer = await postForm(net, token, fields, { signal });
  if (answer.kind === "silence") return refused("unreachable", answer.message);
  const { status, body } = answer;
  if (status === 403) return { ...refused("plan", "your plan does not include this"), final: true };
  const { code = "token_exchange_failed", message } = readErrorBody(body);
  if (status !== 200) return refused(code, message ?? `the issuer responded ${status}`);
  const tokens = tokensIn(body, clock.now());
  if (tokens === undefined) return refused("token_incomplete", "the issuer's response lacks an access token");
  return fitsNonce(readBodyText(body, "id_token"), given.nonce)
    ? { kind: "tokens", tokens }
    : refused("nonce_mismatch", "the tokens belong to another login");
}

/** An identity token that names another login is refused; one is not needed. */
function fitsNonce(idToken: string | undefined, nonce: string): boolean {
  if (idToken === undefined) return true;
  const claims = jsonOf(Buffer.from(idToken.split(".")[1] ?? "", "base64url").toString("utf8"));
  const named = isRecord(claims) ? claims["nonce"] : undefined;
  return named === undefined || (typeof named === "string" && sameText(named, nonce));
}
