import { knownBy } from "./credential.js";

/** Outcome of a request without a useful answer: the owner's own words. `status` 0: no answer. */
export class ApiError extends Error {
  readonly status: number;
  /** The owner's code (`E_STATE`), when it gave one. */
  readonly code: string | undefined;

  constructor(status: number, code: string | undefined, message: string) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.code = code;
  }
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** What a call may carry beside its path. */
export interface ApiCallOptions {
  readonly query?: Query;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface ApiAnswer<T> {
  readonly status: number;
  readonly json: T;
  header(name: string): string | null;
}

/** The owner's paths below `/api`. Every call rejects with an ApiError, except where its signal was aborted. */
export interface Api {
  get<T>(path: string, query?: Query): Promise<T>;
  /** `body` is sent as JSON. */
  send<T>(method: "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: unknown, query?: Query): Promise<T>;
  /** With everything that an answer has. 304 is an answer whose `json` is undefined. */
  ask<T>(method: string, path: string, sending?: ApiCallOptions): Promise<ApiAnswer<T>>;
  /** The answer as it comes, of whatever kind and status. */
  raw(path: string, init?: RequestInit): Promise<Response>;
  /** Where a path of the owner is, for links and sockets. */
  url(path: string, query?: Query): URL;
}

interface ApiParts {
  readonly base: URL;
  token(): string | undefined;
  /** The token was refused. */
  refused(): void;
  readonly fetch: typeof fetch;
}

/** What is asked before a login. */
const PUBLIC: ReadonlySet<string> = new Set([
  "api/auth/exchange",
  "api/auth/providers",
  "api/auth/password-login",
  "api/status",
]);

/** Calls to the owner at `base`, with the session token of the moment. */
export function createApi(parts: ApiParts): Api {
  const url = (path: string, query: Query = {}): URL => {
    const target = new URL(path.replace(/^\//, ""), parts.base);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) target.searchParams.set(name, String(value));
    return target;
  };
  const ask = async <T>(method: string, path: string, sending: ApiCallOptions = {}): Promise<ApiAnswer<T>> => {
    const token = parts.token();
    // Calls that cannot succeed count as guesses of the token, and too many of them lock this address out.
    if (token === undefined && !PUBLIC.has(path)) throw new ApiError(401, undefined, "You are signed out.");
    const response = await parts.fetch(url(path, sending.query), request(method, sending, token)).catch(unreached);
    if (response.status === 401) parts.refused();
    const json = await bodyOf(response);
    if (!response.ok && response.status !== 304) throw toApiError(response.status, json);
    // Answers have the form that the owner's description gives them; the page reads only what it names.
    return { status: response.status, json: json as T, header: (name) => response.headers.get(name) };
  };
  return {
    ask,
    url,
    raw: (path, init = {}) => {
      const headers = new Headers(init.headers);
      for (const [name, value] of Object.entries(knownBy(parts.token()))) headers.set(name, value);
      return parts.fetch(url(path), { cache: "no-store", ...init, headers });
    },
    get: async (path, query) => (await ask<never>("GET", path, query ? { query } : {})).json,
    send: async (method, path, body, query) =>
      (await ask<never>(method, path, { ...(query && { query }), ...(body !== undefined && { body }) })).json,
  };
}

function request(method: string, { body, headers, signal }: ApiCallOptions, token: string | undefined): RequestInit {
  const form = body instanceof FormData;
  return {
    method,
    headers: {
      ...knownBy(token),
      ...(body !== undefined && !form && { "Content-Type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: form ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
    cache: "no-store",
  };
}

function unreached(error: unknown): never {
  if (error instanceof DOMException && error.name === "AbortError") throw error;
  throw new ApiError(0, undefined, "Cannot reach the owner. Is it running?");
}

async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text();
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    /* ok to lose: an answer that is not JSON has nothing that the page can read, its status says the rest */
    return undefined;
  }
}

/** The error body of the owner: `{detail, code}`, or a list of what was wrong with what was sent. */
export function toApiError(status: number, json: unknown): ApiError {
  const { detail, code } =
    typeof json === "object" && json !== null ? (json as { detail?: unknown; code?: unknown }) : {};
  return new ApiError(
    status,
    typeof code === "string" ? code : undefined,
    detailText(detail) ?? `The owner responded ${status}.`,
  );
}

function detailText(detail: unknown): string | undefined {
  if (typeof detail === "string") return detail;
  if (!Array.isArray(detail)) return undefined;
  return detail
    .map((one: { loc?: unknown; msg?: unknown }) =>
      [Array.isArray(one.loc) ? one.loc.join(".") : "", String(one.msg ?? "")].filter(Boolean).join(": "),
    )
    .join("; ");
}
