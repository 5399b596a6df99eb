import type { IncomingMessage, ServerResponse } from "node:http";
import { AppError, toAppError } from "../base/errors.js";
import type { Log } from "../base/log/log.js";
import { splitTarget } from "./admission.js";
import { belowBase } from "./base-path.js";
import type { Endpoint, EndpointReply, JsonReply } from "./endpoint.js";
import { type GuardRules, guard } from "./guard.js";
import { type Input, inputOf } from "./input.js";
import { answerJson, headOf } from "./listener.js";
import { BROKEN, guardRefusal, notFound, problem, send, wrongMethod } from "./reply.js";
import { type EndpointMatch, routeTable } from "./route-table.js";

/** Who wants in, and where to. */
export interface AccessRequest {
  readonly request: IncomingMessage;
  /** Below the base path. */
  readonly path: string;
  /** Only for an endpoint that takes one. */
  readonly ticket: string | undefined;
  /** The path needs no token. */
  readonly isPublic: boolean;
}

/** What a listener of endpoints is made of. */
export interface ListenerParts<Parts> {
  readonly endpoints: readonly Endpoint<Parts>[];
  readonly parts: Parts;
  readonly rules: () => GuardRules;
  readonly log: Log;
  /** Bytes of the largest JSON body where the endpoint says nothing. */
  readonly maxBody: number;
  /** Whether the caller may come in. An answer in place of a word is what he gets instead (too many failures). */
  admit(asking: AccessRequest): "known" | "unknown" | JsonReply;
  /** Headers of every answer past the guard; those of the answer itself win. Asked for once it is made. */
  readonly also?: (request: IncomingMessage) => Readonly<Record<string, string>>;
  /** Prefix below which the listener is mounted (`/agent`), "" for none. */
  readonly basePath?: () => string;
  /** Paths that tell callers without a token not even what is there. Default: none. */
  readonly isPrivate?: (path: string) => boolean;
  /** Has the last word on where a path leads, `fixed` being the endpoint that is always there. */
  readonly route?: (method: string, path: string, fixed: EndpointMatch<Parts>) => Promise<EndpointMatch<Parts>>;
  /** Answers GET and HEAD where no endpoint is: pages and their files. */
  readonly files?: (path: string, request: IncomingMessage) => Promise<EndpointReply | undefined>;
}

/** Serve endpoints: guard, route, token, input, `run`, answer. Errors are `{"detail", "code"}`; what is broken inside is logged and says only that. */
export function serveEndpoints<Parts>(
  serving: ListenerParts<Parts>,
): (request: IncomingMessage, response: ServerResponse) => void {
  const find = routeTable(serving.endpoints);
  return (request, response) => {
    respond(serving, find, request, response)
      .then((reply) => send(response, reply, serving.log))
      .catch((thrown: unknown) => fail(serving.log, request, response, thrown));
  };
}

/** Nothing more can be said on a connection on which half an answer has left. */
function fail(log: Log, request: IncomingMessage, response: ServerResponse, thrown: unknown): void {
  log.error("failed to answer a request", { path: request.url?.split("?")[0], error: toAppError(thrown).message });
  if (response.headersSent) response.destroy();
  else answerJson(response, 500, { detail: BROKEN, code: "E_INTERNAL" });
}

type Find<Parts> = (method: string, path: string) => EndpointMatch<Parts>;

async function respond<Parts>(
  serving: ListenerParts<Parts>,
  find: Find<Parts>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<EndpointReply> {
  const verdict = guard(headOf(request), serving.rules());
  if (!verdict.ok) {
    const { code, message: detail } = guardRefusal(verdict);
    return { status: verdict.status, json: { detail, code } };
  }
  const { path: whole, query } = splitTarget(request.url ?? "");
  const path = belowBase(whole, serving.basePath?.() ?? "");
  const cors = corsOf(verdict.cors);
  const fixed = find(request.method ?? "", path);
  const found = serving.route === undefined ? fixed : await serving.route(request.method ?? "", path, fixed);
  if (request.method === "OPTIONS" && verdict.cors !== undefined && found !== undefined && !("endpoint" in found))
    return preflight(found.allowed, cors);
  const reply = await answered(serving, found, { request, response, path, query }).catch((thrown: unknown) =>
    problem(logged(serving.log, path, toAppError(thrown))),
  );
  return { ...reply, headers: { ...cors, ...serving.also?.(request), ...reply.headers } };
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  readonly query: URLSearchParams;
}

/** Token first: a client without one learns of nothing that needs one. */
async function answered<Parts>(
  serving: ListenerParts<Parts>,
  found: EndpointMatch<Parts>,
  exchange: Exchange,
): Promise<EndpointReply> {
  const { request, response, path, query } = exchange;
  const endpoint = found !== undefined && "endpoint" in found ? found.endpoint : undefined;
  const isPublic = endpoint === undefined ? serving.isPrivate?.(path) !== true : endpoint.access === "public";
  const ticket = endpoint?.ticket === undefined ? undefined : (query.get("ticket") ?? undefined);
  const who = serving.admit({ request, path, ticket, isPublic });
  if (typeof who !== "string") return who;
  if (!isPublic && who === "unknown") return { status: 401, json: { detail: "Unauthorized" } };
  if (found === undefined) return (await page(serving, path, request)) ?? notFound(path);
  if (!("endpoint" in found)) return wrongMethod(found.allowed);
  const input = await inputOf(found.endpoint, request, response, {
    params: found.params,
    query,
    maxBody: serving.maxBody,
  });
  return "refused" in input
    ? input.refused
    : run(serving, found.endpoint, exchange, { ...input, known: who === "known" });
}

async function page<Parts>(
  { files }: ListenerParts<Parts>,
  path: string,
  request: IncomingMessage,
): Promise<EndpointReply | undefined> {
  const reply = await files?.(path, request);
  if (reply === undefined) return undefined;
  return request.method === "GET" || request.method === "HEAD" ? reply : wrongMethod(["GET", "HEAD"]);
}

function run<Parts>(
  { parts }: ListenerParts<Parts>,
  endpoint: Endpoint<Parts>,
  { request, response }: Exchange,
  input: Input & { readonly known: boolean },
): Promise<EndpointReply> {
  const gone = new AbortController();
  response.on("close", () => gone.abort(new AppError("E_INTERRUPTED", "the client disconnected")));
  const header = (name: string) => {
    const value = request.headers[name];
    return Array.isArray(value) ? value[0] : value;
  };
  const address = request.socket.remoteAddress ?? "";
  return endpoint.run({ ...input, header, signal: gone.signal, raw: request, address }, parts);
}

function logged(log: Log, path: string, error: AppError): AppError {
  if (error.code === "E_INTERNAL") log.error("request failed", { path, error: error.message });
  return error;
}

function preflight(allowed: readonly string[], cors: Readonly<Record<string, string>>): EndpointReply {
  const headers = {
    ...cors,
    "access-control-allow-methods": allowed.join(", "),
    "access-control-allow-headers": "authorization, content-type, if-match, x-agent-session-token",
    "access-control-max-age": "600",
  };
  return { status: 204, headers };
}

const corsOf = (origin: string | undefined): Readonly<Record<string, string>> =>
  origin === undefined
    ? {}
    : {
        "access-control-allow-origin": origin,
        "access-control-expose-headers": "etag, x-total-count, retry-after",
        vary: "Origin",
      };
