import type { ErrorCode } from "../base/errors.js";
import type { RequestHead } from "./guard.js";

/** A path that a listener serves. */
export interface Route {
  readonly path: string;
  readonly method: string;
  /** Media types of the body; empty: without a body. */
  readonly types: readonly string[];
  /** Bytes of the largest body. */
  readonly maxBody: number;
  /** The token may be a single-use ticket in the query. */
  readonly ticket?: boolean;
}

export type RequestAdmission =
  | { readonly ok: true; readonly route: Route; readonly query: URLSearchParams }
  | {
      readonly ok: false;
      readonly status: 400 | 401 | 404 | 405 | 411 | 413 | 415;
      readonly code: ErrorCode;
      readonly message: string;
      readonly allow?: string;
    };

/** What says whether the caller may come in: the token of the header, or a ticket of the query for this path. */
export type Authorize = (head: RequestHead, path: string, ticket: string | undefined) => boolean;

/** After the guard, in this order: token, path, method, content type, size. */
export function admitRequest(head: RequestHead, routes: readonly Route[], authorize: Authorize): RequestAdmission {
  const { path, query } = splitTarget(head.target);
  const here = routes.filter((route) => route.path === path);
  const ticket = here.some((route) => route.ticket) ? (query.get("ticket") ?? undefined) : undefined;
  if (!authorize(head, path, ticket)) return refuse(401, "E_AUTH", "missing or invalid token");
  if (here.length === 0)
    return refuse(
      404,
      "E_NOT_FOUND",
      `available: ${routes.map((route) => `${route.method} ${route.path}`).join(", ")}`,
    );
  const route = here.find(({ method }) => method === head.method);
  if (!route) {
    const allow = here.map(({ method }) => method).join(", ");
    return { ...refuse(405, "E_INVALID", `allowed: ${allow}`), allow };
  }
  return checkBody(head, route) ?? { ok: true, route, query };
}

type Refusal = Extract<RequestAdmission, { ok: false }>;

function refuse(status: Refusal["status"], code: ErrorCode, message: string): Refusal {
  return { ok: false, status, code, message };
}

function checkBody(head: RequestHead, route: Route): Refusal | undefined {
  const value = (name: string) => head.headers.find(([given]) => given.toLowerCase() === name)?.[1];
  const length = value("content-length");
  const hasBody = value("transfer-encoding") !== undefined || (length !== undefined && Number(length) > 0);
  const type = value("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (hasBody && !route.types.includes(type ?? "")) {
    return refuse(
      415,
      "E_INVALID",
      route.types.length === 0 ? "unexpected request body" : `the body must be ${route.types.join(" or ")}`,
    );
  }
  if (length !== undefined && Number(length) > route.maxBody)
    return refuse(413, "E_TOO_LARGE", `the request body exceeds ${route.maxBody} bytes`);
  return undefined;
}

/** Path and query of a target in origin form. The path is compared as it is: an escaped or doubled character is another path. */
export function splitTarget(target: string): { path: string; query: URLSearchParams } {
  const mark = target.indexOf("?");
  return mark === -1
    ? { path: target, query: new URLSearchParams() }
    : { path: target.slice(0, mark), query: new URLSearchParams(target.slice(mark + 1)) };
}
