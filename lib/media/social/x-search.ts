import { toAppError } from "../../base/errors.js";
import { errorBodyText } from "../../base/net/error-body.js";
import { type Net, NetError, type NetResponse } from "../../base/net/net.js";
import type { Clock } from "../../base/time/clock.js";
import { parseRateLimitResetMs } from "../../base/time/rate-limit-reset.js";
import { type Ms, toIso } from "../../base/units.js";
import type { Config } from "../../contracts/config/config.js";
import type { MediaEnvelope } from "../../contracts/media/media.js";
import { type SocialSearch, type SocialSearchApi, X_SEARCH } from "../../contracts/media/social.js";
import type { ToolCredential, ToolCredentials } from "../../contracts/models/tool-credentials.js";
import { readSocialAnswer } from "./x-answer.js";

export interface SocialSearchDeps {
  readonly config: Config;
  readonly clock: Clock;
  readonly net: Net;
  readonly version: string;
  /** Those of the search vendor. */
  readonly credentials: ToolCredentials;
}

const PROVIDER = "search-vendor";
const TOOL = "x_search";
const LEAST_SECONDS = 30;
const LONGEST_PAUSE_MS: Ms = 5_000;
const PAUSE_MS: Ms = 1_500;
const ANSWER_BYTES = 4 << 20;
const REFUSAL_BYTES = 64 << 10;

/** What one request came to. `again`: another one may fare better. */
type Answered =
  | { readonly ok: true; readonly body: string }
  | {
      readonly ok: false;
      readonly type: ErrorType;
      readonly why: string;
      readonly again: boolean;
      readonly status?: number;
    };

type ErrorType = "auth_required" | "api_error" | "timeout";

/** Searches posts with the vendor's own search (extensions part, 10.5). */
export function createSocialSearch(deps: SocialSearchDeps): SocialSearchApi {
  const { config, credentials } = deps;
  const choice = () => config.get(X_SEARCH.credentialSource);
  return {
    offered: async () =>
      (await credentials.exists(choice())) ||
      "agent auth add search-vendor logs in; SEARCH_VENDOR_API_KEY in .env holds a key",
    search: async (wanted, progress, signal) => {
      try {
        const credential = await credentials.get(choice(), config.get(X_SEARCH.baseUrl), signal);
        progress(
          `Asking ${PROVIDER} (${config.get(X_SEARCH.model)}, ${credential.kind}); the vendor bills the search.`,
        );
        return await ask(deps, wanted, credential, signal);
      } catch (error) {
        signal.throwIfAborted();
        const { code, message } = toAppError(error);
        return failure(code === "E_AUTH" || code === "E_RATE_LIMIT" ? "auth_required" : "api_error", message);
      }
    },
  };
}

const failure = (type: ErrorType, error: string): MediaEnvelope => ({
  success: false,
  provider: PROVIDER,
  tool: TOOL,
  error,
  error_type: type,
});

async function ask(
  deps: SocialSearchDeps,
  wanted: SocialSearch,
  first: ToolCredential,
  signal: AbortSignal,
): Promise<MediaEnvelope> {
  const model = deps.config.get(X_SEARCH.model);
  let credential = first;
  let answered = await withRetries(deps, { model, wanted, credential }, signal);
  if (!answered.ok && answered.status === 401) {
    // Only the vendor knows that a login was revoked: it is renewed once, or told to be over.
    const renewed = await deps.credentials.renew(credential, signal);
    if (renewed !== undefined) {
      credential = renewed;
      answered = await withRetries(deps, { model, wanted, credential }, signal);
    }
  }
  if (!answered.ok) return failure(answered.type, answered.why);
  const answer = readSocialAnswer(answered.body);
  if (typeof answer === "string") return failure("api_error", answer);
  await deps.credentials.worked(credential);
  const degraded = isFiltered(wanted) && answer.citations.length === 0 && answer.inlineCitations.length === 0;
  return {
    success: true,
    provider: PROVIDER,
    credential_source: credential.kind,
    tool: TOOL,
    model,
    query: wanted.query,
    answer: answer.text,
    citations: answer.citations,
    inline_citations: answer.inlineCitations,
    degraded,
    degraded_reason: degraded
      ? "filters were set and the answer cites nothing: it may not come from posts that match"
      : null,
  };
}

const isFiltered = ({ allowedHandles, excludedHandles, fromDate, toDate }: SocialSearch): boolean =>
  allowedHandles.length > 0 || excludedHandles.length > 0 || fromDate !== undefined || toDate !== undefined;

interface Asked {
  readonly model: string;
  readonly wanted: SocialSearch;
  readonly credential: ToolCredential;
}

async function withRetries(deps: SocialSearchDeps, asked: Asked, signal: AbortSignal): Promise<Answered> {
  const retries = Math.max(0, deps.config.get(X_SEARCH.retries));
  for (let attempt = 0; ; attempt++) {
    const answered = await attemptOnce(deps, asked, signal);
    if (answered.ok || !answered.again || attempt >= retries) return answered;
    await deps.clock.sleep(Math.min(LONGEST_PAUSE_MS, PAUSE_MS * (attempt + 1)), signal);
  }
}

async function attemptOnce(deps: SocialSearchDeps, asked: Asked, signal: AbortSignal): Promise<Answered> {
  const seconds = Math.max(LEAST_SECONDS, deps.config.get(X_SEARCH.timeoutSeconds));
  const { credential, model, wanted } = asked;
  try {
    const response = await deps.net.fetch({
      method: "POST",
      url: `${credential.baseUrl.replace(/\/+$/, "")}/responses`,
      headers: {
        authorization: `Bearer ${credential.bearer}`,
        "content-type": "application/json",
        accept: "application/json",
        "user-agent": `agent/${deps.version}`,
      },
      body: JSON.stringify(requestOf(model, wanted)),
      purpose: "model",
      redirects: false,
      totalMs: seconds * 1_000,
      maxBytes: ANSWER_BYTES,
      signal,
    });
    if (response.status === 200) return { ok: true, body: await response.text(ANSWER_BYTES) };
    return await refusal(deps, response, credential);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof NetError)) throw error;
    if (error.failure === "timeout")
      return {
        ok: false,
        type: "timeout",
        why: `no answer within ${seconds} s (x_search.timeout_seconds)`,
        again: true,
      };
    const again = error.failure === "reset" || error.failure === "refused" || error.failure === "dns";
    return { ok: false, type: "api_error", why: `cannot reach ${credential.baseUrl}: ${error.message}`, again };
  }
}

/** Only the filters that are set are sent. */
function requestOf(model: string, wanted: SocialSearch): object {
  const { query, allowedHandles, excludedHandles, fromDate, toDate, images, videos } = wanted;
  const tool = {
    type: TOOL,
    ...(allowedHandles.length === 0 ? {} : { allowed_x_handles: allowedHandles }),
    ...(excludedHandles.length === 0 ? {} : { excluded_x_handles: excludedHandles }),
    ...(fromDate === undefined ? {} : { from_date: fromDate }),
    ...(toDate === undefined ? {} : { to_date: toDate }),
    ...(images ? { enable_image_understanding: true } : {}),
    ...(videos ? { enable_video_understanding: true } : {}),
  };
  return { model, input: [{ role: "user", content: query }], tools: [tool], store: false };
}

async function refusal(
  { clock }: SocialSearchDeps,
  response: NetResponse,
  { kind }: ToolCredential,
): Promise<Answered & { ok: false }> {
  const { status, headers } = response;
  const body = await response.text(REFUSAL_BYTES);
  response.cancel();
  const said = errorBodyText(body) || `the vendor responded ${status}`;
  const more = status === 401 ? unauthorized(kind) : status === 429 ? limited(clock, headers, body) : "";
  return {
    ok: false,
    type: status === 401 ? "auth_required" : "api_error",
    why: `${said}${more}`,
    again: status >= 500,
    status,
  };
}

const unauthorized = (kind: ToolCredential["kind"]): string =>
  kind === "oauth"
    ? "; agent auth add search-vendor logs in again"
    : "; check SEARCH_VENDOR_API_KEY, or log in with agent auth add search-vendor";

function limited(clock: Clock, headers: Readonly<Record<string, string>>, body: string): string {
  const left = parseRateLimitResetMs(headers, body, clock.now());
  return left === undefined ? "; try again later" : `; the limit ends at ${toIso(clock.now() + left)}`;
}
