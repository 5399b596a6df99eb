import * as z from "zod";
import { AppError } from "../../base/errors.js";
import type { Log } from "../../base/log/log.js";
import { defineEndpoint, type Endpoint, type EndpointReply, type HttpMethod } from "../../http/endpoint.js";
import type { SocketRoute } from "../../http/sockets.js";
import type { ServedSocket } from "../../http/web-socket.js";

/** A request as the code of a plugin sees it: past the guard and the token. */
export interface PluginRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  /** Parsed JSON; `{}` without a body. */
  readonly body: unknown;
  readonly signal: AbortSignal;
}

/** A WebSocket as the code of a plugin sees it: its ticket was checked. */
export interface PluginSocket {
  send(text: string): void;
  close(code?: number, reason?: string): void;
  onMessage(listener: (text: string) => void): void;
  onClose(listener: () => void): void;
  readonly signal: AbortSignal;
}

type Handler = (request: PluginRequest) => unknown;
type SocketHandler = (socket: PluginSocket, request: Pick<PluginRequest, "query">) => unknown;

/** What a plugin adds its routes to. Segments of a path that begin with `:` take one segment each. */
export interface PluginRouter {
  get(path: string, handler: Handler): void;
  post(path: string, handler: Handler): void;
  put(path: string, handler: Handler): void;
  patch(path: string, handler: Handler): void;
  delete(path: string, handler: Handler): void;
  /** A path without `:` that speaks WebSocket. */
  socket(path: string, handler: SocketHandler): void;
}

/** What a plugin has added. */
export interface PluginRoutes {
  readonly endpoints: Endpoint<unknown>[];
  readonly sockets: SocketRoute[];
}

const ROUTES_MAX = 200;
const MESSAGE_MAX = 1 << 20;

/** A router below `/api/plugins/<name>`, and what is added to it. */
export function createPluginRouter(
  name: string,
  log: Log,
): { readonly router: PluginRouter; readonly routes: PluginRoutes } {
  const routes: PluginRoutes = { endpoints: [], sockets: [] };
  const at = (path: string): string => {
    if (typeof path !== "string" || !/^\/[\w.~:/-]*$/.test(path))
      throw new AppError(
        "E_INVALID",
        `'${String(path)}' is not a path: it must start with / and use letters, digits and ._~-`,
      );
    if (routes.endpoints.length + routes.sockets.length >= ROUTES_MAX)
      throw new AppError("E_TOO_LARGE", `a plugin may have at most ${ROUTES_MAX} routes`);
    return `/api/plugins/${name}${path === "/" ? "" : path}`;
  };
  const add = (method: HttpMethod) => (path: string, handler: Handler) => {
    if (typeof handler !== "function") throw new AppError("E_INVALID", `the handler of ${path} is not a function`);
    routes.endpoints.push(endpointOf(name, method, at(path), handler));
  };
  const socket = (path: string, handler: SocketHandler) => {
    routes.sockets.push({
      path: at(path),
      maxMessage: MESSAGE_MAX,
      open: async (query) => (served) => serve(served, handler, query, log),
    });
  };
  return {
    router: { get: add("GET"), post: add("POST"), put: add("PUT"), patch: add("PATCH"), delete: add("DELETE"), socket },
    routes,
  };
}

function endpointOf(name: string, method: HttpMethod, path: string, handler: Handler): Endpoint<unknown> {
  return defineEndpoint({
    method,
    path,
    summary: `Endpoint of the plugin ${name}.`,
    tag: name,
    body: method === "GET" ? undefined : z.unknown(),
    answer: z.unknown(),
    run: async ({ params, query, body, signal }) => {
      const asked = { params, query: query as unknown as PluginRequest["query"], body: body ?? {}, signal }; // without a schema it is as it came
      return replyOf(name, await handler(asked));
    },
  });
}

const answerSchema = z.object({ status: z.int().min(200).max(599).default(200), json: z.unknown() });

/** Nothing, or an answer without JSON, is 204. */
function replyOf(name: string, answer: unknown): EndpointReply {
  if (answer === undefined || answer === null) return { status: 204 };
  const parsed = answerSchema.safeParse(answer);
  if (!parsed.success) throw new AppError("E_INTERNAL", `the plugin ${name} must return {status, json}`);
  const { status, json } = parsed.data;
  return json === undefined && status === 200 ? { status: 204 } : { status, json: json ?? null };
}

function serve(served: ServedSocket, handler: SocketHandler, query: URLSearchParams, log: Log) {
  const heard = new Set<(text: string) => void>();
  const left = new Set<() => void>();
  const { signal } = served;
  const failed = (error: unknown) => {
    log.error("a WebSocket of a plugin failed", { error: String(error) });
    served.close(1011, "the plugin failed");
  };
  const tell = (run: () => unknown) => {
    Promise.resolve().then(run).catch(failed);
  };
  query.delete("ticket");
  const socket: PluginSocket = {
    send: (text) => served.send(String(text)),
    close: (code = 1000, reason = "") => served.close(code, reason),
    onMessage: (listener) => heard.add(listener),
    onClose: (listener) => left.add(listener),
    signal,
  };
  tell(() => handler(socket, { query: Object.fromEntries(query) }));
  return {
    message: (text: string) => {
      for (const listener of heard) tell(() => listener(text));
    },
    closed: () => {
      for (const listener of left) tell(listener);
    },
  };
}
