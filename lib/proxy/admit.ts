import { type GuardRules, guard, type RequestHead, valuesOf } from "../http/guard.js";
import { bearerOf, sameToken } from "../http/token.js";
import { methodsOf, splitRawTarget } from "./paths.js";
import type { ProxyRefusal } from "./refusal.js";

/** What a listener lets in. */
export interface ProxyGate {
  readonly rules: GuardRules;
  readonly paths: readonly string[];
  /** Clients have to present it; undefined: any bearer will do. */
  readonly token: string | undefined;
  readonly maxBodyBytes: number;
}

export type Admitted =
  | {
      readonly kind: "forward";
      readonly path: string;
      readonly query: string;
      readonly cors: string | undefined;
      readonly body: Body;
    }
  /** A browser asks whether a page of an allowed origin may send the request. */
  | { readonly kind: "preflight"; readonly cors: string; readonly methods: readonly string[] }
  | { readonly kind: "refused"; readonly refusal: ProxyRefusal; readonly cors: string | undefined };

/** Bytes of the body, `chunked` when the client does not say, undefined without a body. */
export type Body = number | "chunked" | undefined;

/** Guard, token, path, method, content type, size, in this order. Pure. */
export function admitProxyRequest(head: RequestHead, gate: ProxyGate): Admitted {
  const verdict = guard(head, gate.rules);
  if (!verdict.ok) {
    const code =
      verdict.rule === "G2" ? "bad_request" : verdict.rule === "G3" ? "host_not_allowed" : "origin_not_allowed";
    return { kind: "refused", refusal: { status: verdict.status, code, message: verdict.message }, cors: undefined };
  }
  const { cors } = verdict;
  const { path, query } = splitRawTarget(head.target);
  const known = gate.paths.includes(path);
  if (head.method === "OPTIONS" && cors !== undefined && known)
    return { kind: "preflight", cors, methods: methodsOf(path) };
  const refusal =
    checkToken(head, gate) ?? (known ? undefined : unknownPath(path, gate.paths)) ?? checkMessage(head, path, gate);
  return refusal ? { kind: "refused", refusal, cors } : { kind: "forward", path, query, cors, body: bodyOf(head) };
}

function checkToken(head: RequestHead, { token }: ProxyGate): ProxyRefusal | undefined {
  if (token === undefined) return undefined;
  const [given, ...more] = valuesOf(head, "authorization");
  const bearer = more.length === 0 ? bearerOf(given) : undefined;
  if (bearer !== undefined && sameToken(bearer, token)) return undefined;
  return {
    status: 401,
    code: "proxy_token_required",
    message: "this listener is open to other machines; send its token as Authorization: Bearer",
    headers: { "www-authenticate": "Bearer" },
  };
}

/** A path may be as long as a request head; an answer repeats at most this much of it. */
const SHOWN_CHARS = 200;

function unknownPath(path: string, paths: readonly string[]): ProxyRefusal {
  const shown = path.length > SHOWN_CHARS ? `${path.slice(0, SHOWN_CHARS)}...` : path;
  return {
    status: 404,
    code: "path_not_allowed",
    message: `${shown} is not supported. Allowed: ${[...paths].sort().join(", ")}`,
  };
}

function checkMessage(head: RequestHead, path: string, gate: ProxyGate): ProxyRefusal | undefined {
  const methods = methodsOf(path);
  if (!methods.includes(head.method)) {
    const allow = methods.join(", ");
    return { status: 405, code: "method_not_allowed", message: `${path} takes ${allow}`, headers: { allow } };
  }
  const types = valuesOf(head, "content-type");
  if (head.method === "POST" && (types.length > 1 || types.some((type) => !isJson(type))))
    return { status: 415, code: "unsupported_media_type", message: "the body must be application/json" };
  const length = bodyOf(head);
  if (typeof length === "number" && length > gate.maxBodyBytes) return toTooLargeRefusal(gate.maxBodyBytes);
  return undefined;
}

const isJson = (type: string) => type.split(";")[0]?.trim().toLowerCase() === "application/json";

/** A body above the limit. */
export function toTooLargeRefusal(max: number): ProxyRefusal {
  return {
    status: 413,
    code: "payload_too_large",
    message: `the request body exceeds ${max >> 20} MiB (proxy.max_body_mb)`,
  };
}

/** The guard has seen to it that at most one of the two says something. */
function bodyOf(head: RequestHead): Body {
  if (valuesOf(head, "transfer-encoding").length > 0) return "chunked";
  const [length] = valuesOf(head, "content-length");
  if (length !== undefined) return Number(length);
  return head.method === "POST" ? 0 : undefined;
}
