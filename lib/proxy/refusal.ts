import { AppError, toAppError, type WireError } from "../base/errors.js";
import { NetError } from "../base/net/net.js";
import type { EpochMs, Ms } from "../base/units.js";

/** What the proxy says itself; everything else is the provider's word. */
export type RefusalCode =
  | "bad_request"
  | "host_not_allowed"
  | "origin_not_allowed"
  | "path_not_allowed"
  | "method_not_allowed"
  | "unsupported_media_type"
  | "payload_too_large"
  | "proxy_token_required"
  | "upstream_auth_failed"
  | "credentials_exhausted"
  | "upstream_unreachable"
  | "upstream_timeout"
  | "proxy_busy"
  | "proxy_error";

export interface ProxyRefusal {
  readonly status: number;
  readonly code: RefusalCode;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request that cannot be passed on, thrown to where it is answered. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
  readonly refusal: ProxyRefusal;
  constructor(refusal: ProxyRefusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

/** Body of an error, in the form that clients of the common wire read. */
export const refusalBody = ({ message, code }: Pick<ProxyRefusal, "message" | "code">): unknown => ({
  error: { message, type: code, code, param: null },
});

/** The same for what the listener could not even read. */
export const brokenBody = ({ message }: Pick<WireError, "message">): unknown =>
  refusalBody({ message, code: "bad_request" });

/** The answer when something on the way failed. */
export function toRefusal(thrown: unknown): ProxyRefusal {
  if (thrown instanceof RefusedError) return thrown.refusal;
  if (thrown instanceof NetError)
    return { status: 502, code: "upstream_unreachable", message: `cannot reach the provider: ${thrown.message}` };
  return { status: 500, code: "proxy_error", message: "proxy error; see the log" };
}

/** The answer without a credential. `login`: the command that makes one. */
export function credentialRefusal(thrown: unknown, login: string, now: EpochMs): ProxyRefusal {
  const error = toAppError(thrown);
  const until = error.data["until"];
  if (error.code === "E_RATE_LIMIT") {
    const seconds = typeof until === "number" ? Math.max(1, Math.ceil((until - now) / 1000)) : 1;
    return {
      status: 429,
      code: "credentials_exhausted",
      message: error.message,
      headers: { "retry-after": String(seconds) },
    };
  }
  if (error.code === "E_AUTH" && typeof until === "number") return restingRefusal(error, login, until - now);
  if (thrown instanceof AppError || thrown instanceof NetError)
    return {
      status: 401,
      code: "upstream_auth_failed",
      message: error.message.includes(login) ? error.message : `${error.message}; ${login} logs in`,
    };
  return toRefusal(thrown);
}

/** Every login was refused, and is tried again by itself. A new login is not the first thing to do then. */
function restingRefusal({ message }: AppError, login: string, left: Ms): ProxyRefusal {
  const seconds = Math.max(1, Math.ceil(left / 1000));
  const provider = login.split(" ").at(-1) ?? "";
  return {
    status: 401,
    code: "upstream_auth_failed",
    message: `${message}; retried in ${seconds} s, or immediately after agent auth reset ${provider}; if it is still rejected, ${login} logs in`,
    headers: { "retry-after": String(seconds) },
  };
}
