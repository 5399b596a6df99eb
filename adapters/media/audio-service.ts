import { toAppError } from "../../lib/base/errors.js";
import { errorBodyText } from "../../lib/base/net/error-body.js";
import { NetError, type NetRequest } from "../../lib/base/net/net.js";
import { Secret } from "../../lib/base/secret.js";
import { parseRateLimitResetMs } from "../../lib/base/time/rate-limit-reset.js";
import { type Ms, toIso } from "../../lib/base/units.js";
import type { AudioContext, AudioFailure } from "../../lib/contracts/media/speech.js";

/** A request to a service for audio. */
export interface ServiceCall extends Pick<NetRequest, "url" | "headers"> {
  readonly body: string | Uint8Array;
  readonly maxBytes: number;
  readonly ms: Ms;
  /** What is missing when the service refuses the credential. */
  readonly keyHint: string;
}

export type ServiceBytes = { readonly ok: true; readonly bytes: Buffer } | AudioFailure;

const REFUSAL_BYTES = 64 << 10;

/** Ask a service once: requests for audio are billed, and one whose answer was lost may have been. */
export async function askService(
  { net, clock }: Pick<AudioContext, "net" | "clock">,
  call: ServiceCall,
  signal: AbortSignal,
): Promise<ServiceBytes> {
  const { url, headers, body, maxBytes, ms, keyHint } = call;
  try {
    const request = { method: "POST", url, headers, body, purpose: "model", redirects: false } as const;
    const response = await net.fetch({ ...request, totalMs: ms, maxBytes, signal });
    if (response.status === 200) {
      const parts: Uint8Array[] = [];
      for await (const part of response.body) parts.push(part);
      return { ok: true, bytes: Buffer.concat(parts) };
    }
    const { status } = response;
    const text = await response.text(REFUSAL_BYTES);
    response.cancel();
    const said = errorBodyText(text) || `the service responded ${status}`;
    if (status === 401 || status === 403) return { ok: false, type: "auth_required", why: `${said}; ${keyHint}` };
    if (status === 413) return { ok: false, type: "too_large", why: said };
    if (status !== 429) return { ok: false, type: "api_error", why: `${said} (${status})` };
    const left = parseRateLimitResetMs(response.headers, text, clock.now());
    const until = left === undefined ? "try again later" : `the limit ends at ${toIso(clock.now() + left)}`;
    return { ok: false, type: "api_error", why: `${said}; ${until}` };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof NetError)) return { ok: false, type: "api_error", why: toAppError(error).message };
    if (error.failure === "timeout") return { ok: false, type: "timeout", why: `no answer within ${ms / 1_000} s` };
    return { ok: false, type: "api_error", why: `cannot reach ${new URL(url).host}: ${error.message}` };
  }
}

/** The first of these variables that has a value. */
export function keyOf(env: AudioContext["env"], names: readonly string[]): Secret | undefined {
  const found = names.map((name) => env[name]?.trim() ?? "").find((value) => value !== "");
  return found === undefined ? undefined : new Secret(found);
}

/** The error of a service without its key. */
export const missingKey = (names: readonly string[]): string => `no API key: set ${names[0] ?? ""} in .env`;

export const JSON_TYPE = { "content-type": "application/json" } as const;

/** An address of the settings without slashes at its end. */
export const withoutSlash = (url: string): string => url.replace(/\/+$/, "");
