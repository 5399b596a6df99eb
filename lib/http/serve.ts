import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import type * as z from "zod";
import { AppError, ERRORS, toAppError } from "../base/errors.js";
import type { Log } from "../base/log.js";
import { splitTarget } from "./admission.js";
import { readJson } from "./body.js";
import type { Endpoint, EndpointRequest, JsonReply, Reply } from "./endpoint.js";
import { type GuardRules, guard } from "./guard.js";
import { answerJson, headOf } from "./listener.js";
import { routeTable } from "./route-table.js";

/** What a listener of endpoints is made of. */
export interface Serving<Parts> {
  readonly endpoints: readonly Endpoint<Parts>[];
  readonly parts: Parts;
  readonly rules: () => GuardRules;
  readonly log: Log;
  /** Bytes of the largest JSON body where the endpoint says nothing. */
  readonly maxBody: number;
  /** Whether the caller may come in. An answer in place of a word is what he gets instead (too many failures). */
  admit(request: IncomingMessage, path: string, ticket: string | undefined): "known" | "unknown" | JsonReply;
  /** Headers of every answer. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Pages and their assets: answers what is no endpoint, or says that it is not his either. */
  page?(path: string, request: IncomingMessage, response: ServerResponse): boolean;
}

/** One wrong value of a request, as `detail` of a 422 lists it. */
interface Wrong {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

/** Serve endpoints: guard, route, token, input, `run`, answer. Errors are `{"detail", "code"}`; what is broken inside is logged and says only that. */
export function serveEndpoints<Parts>(serving: Serving<Parts>): (request: IncomingMessage, response: ServerResponse) => void {
  const find = routeTable(serving.endpoints);
  return (request, response) => {
    respond(serving, find, request, response).catch((thrown: unknown) => {
      const error = toAppError(thrown);
      if (error.code === "E_INTERNAL") serving.log.error("a request failed", { path: request.url?.split("?")[0], error: error.message });
      if (response.headersSent) response.destroy();
      else answer(serving, response, problem(error));
    });
  };
}

async function respond<Parts>(
  serving: Serving<Parts>,
  find: ReturnType<typeof routeTable<Parts>>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const verdict = guard(headOf(request), serving.rules());
  if (!verdict.ok) {
    const detail = verdict.rule === "G3" ? `Invalid Host header. ${verdict.message}` : verdict.message;
    answer(serving, response, { status: verdict.status, json: { detail, code: verdict.status === 403 ? "E_FORBIDDEN" : "E_INVALID" } });
    return;
  }
  const cors = corsOf(verdict.cors);
  const { path, query } = splitTarget(request.url ?? "");
  const found = find(request.method ?? "", path);
  if (found === undefined || !("endpoint" in found)) {
    if (request.method === "OPTIONS" && verdict.cors !== undefined && found !== undefined) preflight(response, found.allowed, cors);
    else if (serving.page?.(path, request, response) === true) return;
    else answer(serving, response, found === undefined ? unknown(path) : wrongMethod(found.allowed));
    return;
  }
  const { endpoint, params } = found;
  const ticket = endpoint.ticket === undefined ? undefined : (query.get("ticket") ?? undefined);
  const who = serving.admit(request, path, ticket);
  if (typeof who !== "string") {
    answer(serving, response, who);
    return;
  }
  if (endpoint.access === "token" && who === "unknown") {
    answer(serving, response, { status: 401, json: { detail: "Unauthorized" }, headers: cors });
    return;
  }
  const input = await inputOf(serving, endpoint, request, { params, query });
  const reply =
    "wrong" in input
      ? unprocessable(input.wrong)
      : await run(serving, endpoint, { request, response }, { ...input, known: who === "known" });
  await send(serving, response, { ...reply, headers: { ...cors, ...reply.headers } });
}

type Input = Pick<EndpointRequest<unknown, unknown, unknown>, "params" | "query" | "body">;

async function inputOf<Parts>(
  { maxBody }: Serving<Parts>,
  endpoint: Endpoint<Parts>,
  request: IncomingMessage,
  given: { readonly params: Readonly<Record<string, string>>; readonly query: URLSearchParams },
): Promise<Input | { readonly wrong: readonly Wrong[] }> {
  checkType(endpoint, request);
  const wrong: Wrong[] = [];
  const parse = (schema: z.ZodType | undefined, where: string, value: unknown): unknown => {
    if (schema === undefined) return value;
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    wrong.push(...parsed.error.issues.map(({ path, message, code }) => ({ loc: [where, ...path.map(plain)], msg: message, type: code })));
    return undefined;
  };
  const params = parse(endpoint.params, "path", given.params);
  const query = parse(endpoint.query, "query", queryOf(given.query));
  const json = endpoint.body === undefined || endpoint.upload !== undefined ? {} : await readJson(request, endpoint.maxBody ?? maxBody);
  const body = parse(endpoint.body, "body", json);
  return wrong.length > 0 ? { wrong } : { params, query, body };
}

/** A browser sends some media types to other sites without asking; a body that counts says that it is JSON, an empty one need not. */
function checkType<Parts>(endpoint: Endpoint<Parts>, request: IncomingMessage): void {
  const type = request.headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
  const hasBody = request.headers["transfer-encoding"] !== undefined || Number(request.headers["content-length"] ?? 0) > 0;
  const types = endpoint.upload?.types ?? ["application/json"];
  if (!hasBody || types.includes(type ?? "")) return;
  throw new AppError("E_INVALID", `the body must be ${types.join(" or ")}`, { http: 415 });
}

/** A key that is there twice is a list. */
function queryOf(query: URLSearchParams): Record<string, string | string[]> {
  const values: Record<string, string | string[]> = Object.create(null) as Record<string, string | string[]>; // no name is special in it
  for (const name of new Set(query.keys())) {
    const all = query.getAll(name);
    values[name] = all.length === 1 ? (all[0] ?? "") : all;
  }
  return { ...values };
}

const plain = (part: PropertyKey): string | number => (typeof part === "number" ? part : String(part));

async function run<Parts>(
  { parts }: Serving<Parts>,
  endpoint: Endpoint<Parts>,
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  input: Input & { readonly known: boolean },
): Promise<Reply> {
  const gone = new AbortController();
  const leave = () => gone.abort(new AppError("E_INTERRUPTED", "the client went away"));
  response.on("close", leave);
  const header = (name: string) => {
    const value = request.headers[name];
    return Array.isArray(value) ? value[0] : value;
  };
  const address = request.socket.remoteAddress ?? "";
  return endpoint.run({ ...input, header, signal: gone.signal, raw: request, address }, parts);
}

async function send<Parts>(serving: Serving<Parts>, response: ServerResponse, reply: Reply): Promise<void> {
  if (!("stream" in reply)) {
    answer(serving, response, reply);
    return;
  }
  response.writeHead(reply.status ?? 200, {
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
    ...serving.headers,
    ...reply.headers,
  });
  if (response.req.method === "HEAD") {
    reply.stream.destroy();
    response.end();
  } else
    await pipeline(reply.stream, response).catch((error: unknown) => serving.log.debug("a download broke off", { error: String(error) }));
}

function answer<Parts>(serving: Serving<Parts>, response: ServerResponse, reply: Exclude<Reply, { stream: unknown }>): void {
  const headers = { ...serving.headers, ...reply.headers };
  if ("json" in reply) answerJson(response, reply.status ?? 200, reply.json, headers);
  else response.writeHead(reply.status, headers).end();
}

function preflight(response: ServerResponse, allowed: readonly string[], cors: Readonly<Record<string, string>>): void {
  const more = {
    "access-control-allow-methods": allowed.join(", "),
    "access-control-allow-headers": "authorization, content-type, if-match",
  };
  response.writeHead(204, { ...cors, ...more, "access-control-max-age": "600" }).end();
}

const corsOf = (origin: string | undefined): Readonly<Record<string, string>> =>
  origin === undefined ? {} : { "access-control-allow-origin": origin, vary: "Origin" };

const unknown = (path: string): JsonReply => ({
  status: 404,
  json: { detail: `nothing is served at ${JSON.stringify(path.slice(0, 200))}`, code: "E_NOT_FOUND" },
});

const wrongMethod = (allowed: readonly string[]): JsonReply => ({
  status: 405,
  json: { detail: `allowed here: ${allowed.join(", ")}`, code: "E_INVALID" },
  headers: { allow: allowed.join(", ") },
});

const unprocessable = (wrong: readonly Wrong[]): JsonReply => ({
  status: 422,
  json: { detail: wrong, code: "E_INVALID_PARAMS" },
});

/** The answer to an error: its text is for the user, unless something of ours is broken. `data.http` is a status that only this case has. */
function problem(error: AppError): JsonReply {
  const own = error.data["http"];
  const status = typeof own === "number" ? own : ERRORS[error.code].http;
  const detail = error.code === "E_INTERNAL" ? "something of ours is broken; the log has the details" : error.message;
  return { status, json: { detail, code: error.code } };
}
