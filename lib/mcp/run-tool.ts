import { isRecord } from "../base/json/record.js";
import type { FormAnswer } from "../contracts/chat/form.js";
import { type McpAnswer, McpFailure, type McpRequest } from "../contracts/mcp/connection.js";
import type { ToolContext, ToolResult } from "../tools/core/define.js";
import type { Calls } from "./calls.js";
import { answersOf, askedTogether, formOf } from "./elicitation.js";
import type { KeepMedia } from "./media.js";
import { type Parked, type ServerRequest, ticketOf } from "./parked.js";
import { readPrompt, readResources, readToolResult, type ServerResult } from "./results.js";
import type { Server } from "./server/server.js";

/** Rounds of questions of one call; a server that asks on and on is not answered for ever. */
const ROUNDS = 10;
/** What a server may want back with its answers (extensions part, 2.7). */
const STATE_BYTES = 64 << 10;

export interface RunParts {
  readonly server: Server;
  readonly calls: Calls;
  readonly keep: KeepMedia;
  readonly redact: (text: string) => string;
}

/** Send a request for a call and read what comes back. A failure is a result. */
export async function runRequest(parts: RunParts, request: ServerRequest, ctx: ToolContext): Promise<ToolResult> {
  const { server, calls } = parts;
  const ended = calls.begin({ session: ctx.session, ctx });
  try {
    return await rounds(parts, request, ctx);
  } catch (error) {
    if (!(error instanceof McpFailure)) throw error;
    return failed(parts.redact(failureText(server, error)), error.kind === "cancelled" ? "cancelled" : "error");
  } finally {
    ended();
  }
}

/** The call that a parked question belongs to, sent again with the answer. @returns what came of it, as the model would have got it */
export async function runParked(
  parts: Omit<RunParts, "calls">,
  { request, state, ids, responses, rest }: Parked,
  answer: FormAnswer,
): Promise<string> {
  const { server, keep, redact } = parts;
  const all: Record<string, unknown> = { ...responses, ...answersOf(ids, answer) };
  for (const other of rest) all[other] = { action: "cancel" }; // the call that could ask is over
  try {
    const { timeout, max_timeout: most } = server.entry;
    const sent = await server.request(
      {
        method: request.method,
        params: answered(request.params, all, state),
        signal: new AbortController().signal,
        timeoutMs: timeout * 1000,
        maxMs: most * 1000,
      },
      false,
    );
    if (sent.kind !== "result") return redact(`${server.name} asked again; call the tool once more to answer it`);
    return redact((await readersOf(request.method)(sent.result, keep)).text);
  } catch (error) {
    if (!(error instanceof McpFailure)) throw error;
    return redact(failureText(server, error));
  }
}

const answered = (
  params: ServerRequest["params"],
  responses: Readonly<Record<string, unknown>>,
  state: string | undefined,
): ServerRequest["params"] => ({
  ...params,
  inputResponses: responses,
  ...(state === undefined ? {} : { requestState: state }),
});

async function rounds(parts: RunParts, request: ServerRequest, ctx: ToolContext): Promise<ToolResult> {
  const { server } = parts;
  let params = request.params;
  for (let round = 0; round < ROUNDS; round++) {
    const answer = await send(server, { ...request, params }, ctx);
    if (answer.kind === "result") return toResult(parts, request.method, answer.result);
    if (answer.kind === "urls") {
      const refused = await opened(server.name, answer.asked, ctx);
      if (refused !== undefined) return failed(refused);
      continue;
    }
    if (Buffer.byteLength(answer.state ?? "") > STATE_BYTES)
      return failed(`${server.name} asked with a state of more than ${STATE_BYTES >> 10} KiB, which is not kept`);
    const responses = await answersTo(parts, { request, answer }, ctx);
    if (responses === "parked") return { text: JSON.stringify({ result: parkedText(server.name) }) };
    if (typeof responses === "string") return failed(responses);
    params = answered(request.params, responses, answer.state);
  }
  return failed(`${server.name} asked more than ${ROUNDS} times before it answered`);
}

function send(server: Server, { method, params, again }: ServerRequest, ctx: ToolContext): Promise<McpAnswer> {
  const { timeout, max_timeout: most } = server.entry;
  return server.request(
    {
      method,
      params,
      signal: ctx.signal,
      timeoutMs: timeout * 1000,
      maxMs: most * 1000,
      progress: (text) => ctx.progress(`${text}\n`),
    },
    again,
  );
}

const parkedText = (server: string): string =>
  `${server} waits for an answer of the user; what it says then comes as a message of its own`;

interface Asked {
  readonly request: ServerRequest;
  readonly answer: Extract<McpAnswer, { kind: "input" }>;
}

/**
 * Answers of people to what a server of the newer era wants first. Text: why they are missing; `parked`: not answered yet, and the call is sent
 * again once they are, by this owner or the next.
 */
async function answersTo(
  { server }: RunParts,
  { request, answer }: Asked,
  ctx: ToolContext,
): Promise<Readonly<Record<string, unknown>> | string> {
  const responses: Record<string, unknown> = {};
  const all = Object.entries(answer.requests);
  const foreign = all.find(([, one]) => fieldOf(one, "method") !== "elicitation/create");
  const together = askedTogether(
    server.name,
    all.map(([id, one]) => [id, paramsOf(one)]),
  );
  if (foreign !== undefined || together === undefined)
    return `${server.name} asked for ${String(fieldOf((foreign ?? all[0])?.[1], "method"))}, which it is not offered, or in a way that cannot be shown`;
  for (const { ids, form } of together) {
    const ticket = ticketOf({
      server: server.name,
      request,
      state: answer.state,
      ids,
      responses,
      rest: Object.keys(answer.requests).filter((other) => !ids.includes(other) && !Object.hasOwn(responses, other)),
    });
    const given =
      ctx.askForm === undefined
        ? DECLINED
        : await (ticket === undefined ? ctx.askForm(form) : ctx.askForm({ ...form, park: true }, ticket));
    if (given.why === "parked") return "parked";
    if (ctx.signal.aborted) throw new McpFailure("cancelled", "the user cancelled the call");
    Object.assign(responses, answersOf(ids, given));
  }
  return responses;
}

const DECLINED: FormAnswer = { action: "decline", content: {} };

function paramsOf(asked: unknown): Readonly<Record<string, unknown>> {
  const params = fieldOf(asked, "params");
  return isRecord(params) ? params : {};
}

/** Have a person open what a server of the older era wants opened first. @returns why the call is not made again */
async function opened(
  server: string,
  asked: readonly Readonly<Record<string, unknown>>[],
  ctx: ToolContext,
): Promise<string | undefined> {
  if (asked.length === 0) return `${server} wants something opened and does not say what`;
  for (const params of asked) {
    const form = formOf(server, params);
    if (form === undefined) return `${server} wants an address opened that cannot be shown`;
    const message = `${form.message}\n\nFinish there, then accept: the call is made again.`;
    const given = (await ctx.askForm?.({ ...form, message })) ?? DECLINED;
    if (ctx.signal.aborted) throw new McpFailure("cancelled", "the user cancelled the call");
    if (given.action !== "accept")
      return `${server} wants ${form.url ?? "an address"} opened first; the user did not agree`;
  }
  return undefined;
}

async function toResult(
  { keep, redact }: RunParts,
  method: McpRequest["method"],
  result: Readonly<Record<string, unknown>>,
): Promise<ToolResult> {
  const read = await readersOf(method)(result, keep);
  const images = read.pictures.map((path) => ({ path }));
  return {
    text: redact(read.text),
    status: read.failed ? "error" : "ok",
    ...(images.length === 0 ? {} : { images }),
  };
}

type Reader = (result: Readonly<Record<string, unknown>>, keep: KeepMedia) => Promise<ServerResult>;

function readersOf(method: McpRequest["method"]): Reader {
  switch (method) {
    case "tools/call":
      return readToolResult;
    case "resources/read":
      return readResources;
    case "prompts/get":
      return readPrompt;
    case "resources/list":
      return async (result) => listText(result["resources"]);
    case "prompts/list":
      return async (result) => listText(result["prompts"]);
  }
}

const listText = (items: unknown): ServerResult => ({
  text: JSON.stringify({ result: items ?? [] }),
  failed: false,
  pictures: [],
});

const failed = (error: string, status: "error" | "cancelled" = "error"): ToolResult => ({
  text: JSON.stringify({ error }),
  status,
});

/** What the model sees (extensions part, 2.4). */
function failureText({ name, entry, status }: Server, { kind, message }: McpFailure): string {
  switch (kind) {
    case "answered":
      return message;
    case "timeout":
      return `${name}: ${message}; the call was cancelled (limit: ${entry.timeout} s, ${entry.max_timeout} s with progress)`;
    case "cancelled":
      return "the call was cancelled";
    case "lost":
      return `the connection to ${name} ended during the call (${message}): it may or may not have run; check before you repeat it`;
    case "login":
      return `${name} needs a login (${message}): the user can run "agent mcp login ${name}"`;
    case "session":
    case "unsent":
      return `MCP server ${name} is not connected (${status().state}): ${message}`;
  }
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
