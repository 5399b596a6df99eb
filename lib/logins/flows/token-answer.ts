import { isRecord, jsonOf } from "../../base/json/record.js";
import { Secret } from "../../base/secret.js";
import { parseRateLimitResetMs } from "../../base/time/rate-limit-reset.js";
import type { EpochMs } from "../../base/units.js";
import { deadReason } from "../../contracts/models/pool.js";
import { type FormReply, readBodyText, readErrorBody } from "../core/http.js";
import type { RefreshAnswer, Tokens } from "./flow.js";

type Body = Readonly<Record<string, unknown>>;

/** The tokens of an OAuth answer, or undefined when it has no access token. */
export function tokensIn(body: Body, now: EpochMs): Tokens | undefined {
  const access = readBodyText(body, "access_token");
  if (access === undefined) return undefined;
  const refresh = readBodyText(body, "refresh_token");
  const claims = { ...claimsOf(readBodyText(body, "id_token")), ...claimsOf(access) };
  return {
    access: new Secret(access),
    refresh: refresh === undefined ? undefined : new Secret(refresh),
    type: readBodyText(body, "token_type"),
    expiresAt: expiryOf(claimsOf(access), body, now),
    scope: readBodyText(body, "scope"),
    inferenceUrl: readBodyText(body, "inference_url") ?? readBodyText(body, "inference_base_url"),
    account: readBodyText(claims, "email") ?? readBodyText(claims, "preferred_username"),
  };
}

/** What the token says of its end wins over what the answer says: it is what the provider compares with. */
function expiryOf(claims: Body, body: Body, now: EpochMs): EpochMs | undefined {
  if (typeof claims["exp"] === "number") return claims["exp"] * 1_000;
  const seconds = Number(body["expires_in"]);
  return Number.isFinite(seconds) && seconds > 0 ? now + seconds * 1_000 : undefined;
}

/** Claims of a JWT, unchecked: only its issuer can check it. Empty for any other token. */
function claimsOf(token: string | undefined): Body {
  const parts = token?.split(".") ?? [];
  if (parts.length !== 3) return {};
  const claims = jsonOf(Buffer.from(parts[1] ?? "", "base64url").toString("utf8"));
  return isRecord(claims) ? claims : {};
}

/** What the answer to a refresh means. */
export function refreshAnswer(answer: FormReply, now: EpochMs): RefreshAnswer {
  if (answer.kind === "silence") return { kind: "later", message: answer.message };
  const { status, headers, body } = answer;
  const tokens = status === 200 ? tokensIn(body, now) : undefined;
  if (tokens !== undefined) return { kind: "tokens", tokens };
  const { code, message } = readErrorBody(body);
  const reason =
    status < 500 && status !== 429 ? (TERMINAL.find((word) => word === code) ?? deadReason(code ?? "")) : undefined;
  if (reason !== undefined)
    return { kind: "terminal", code: reason, message: message ?? `the provider reports ${reason}` };
  const said = message ?? code;
  return {
    kind: "later",
    message: `the provider responded ${status}${said === undefined ? "" : `: ${said.slice(0, 200)}`}`,
    waitMs: parseRateLimitResetMs(headers, "", now),
  };
}

/** Beside those that any request may meet. */
const TERMINAL = ["invalid_refresh_token", "invalid_grant"];
