import type * as z from "zod";
import { AppError, toAppError, toWireError } from "../../../base/errors.js";
import { LIMITS } from "../../../base/limits.js";
import type { Log } from "../../../base/log/log.js";
import type { SocketRoute } from "../../../http/sockets.js";
import { CLOSE_CODES, type ServedSocket, type SocketEnd } from "../../../http/web-socket.js";
import type { LivePort } from "../../events/ports.js";
import { createRpcFollows, followSchema, type RpcFollows, unfollowSchema } from "./follow.js";
import { attachOwner, type OwnerClient } from "./owner-client.js";
import {
  BATCH_MAX,
  type CallId,
  callSchema,
  garbageOf,
  notification,
  RPC_CODES,
  type RpcAnswer,
  type RpcCall,
  toRpcError,
  toRpcResult,
} from "./wire.js";

/** What the methods of the owner are called with where a browser cannot know it. */
export interface RpcDefaults {
  /** Working directory and environment of a conversation that names none. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** What a socket of calls is made of. */
export interface RpcParts {
  readonly port: Pick<LivePort, "attach">;
  readonly log: Log;
  readonly defaults: RpcDefaults;
}

/** Conversations that are remembered so. */
const VISITED_MAX = 256;
/** Messages that were none, after which a client is let go. */
const BROKEN_MAX = 16;
/** Methods that stand for something else here, or belong to programs of this machine: a claim makes a worker, a run executes a command line. */
const HIDDEN = /^(?:hello|run|run\.(?:signal|stdin)|topics\..*)$/;
/** What begins a conversation. */
const BEGINS = new Set(["session.create", "session.resume"]);

/** Calls and events of the owner as JSON-RPC 2.0. */
export const rpcSocket = (path: string, parts: RpcParts): SocketRoute => ({
  path,
  maxMessage: LIMITS.messageBytes,
  open: async () => (socket) => serve(parts, socket),
});

/** One browser. */
interface Talk {
  readonly parts: RpcParts;
  readonly socket: ServedSocket;
  readonly client: Promise<OwnerClient>;
  readonly follows: RpcFollows;
  /** Conversations that are open with what this side gives them. */
  readonly visited: Set<unknown>;
  broken: number;
}

function serve(parts: RpcParts, socket: ServedSocket): SocketEnd {
  const notify = (told: object, done?: () => void) => socket.send(notification("event", told), done);
  const client = attachOwner(parts.port, {
    sub: (frame, done) => follows.sub(frame, done),
    delta: (delta, done) => follows.delta(delta, done),
    event: (event, done) => notify({ topic: "owner", ...event }, done),
    end: () => socket.close(CLOSE_CODES.tryLater, "the owner closed this connection"),
  });
  const follows = createRpcFollows(client, notify);
  const talk: Talk = { parts, socket, client, follows, visited: new Set(), broken: 0 };
  const failed = (error: unknown) => {
    parts.log.error("failed to serve a browser", { error: toAppError(error).message });
    socket.close(CLOSE_CODES.broken, "broken");
  };
  greet(talk).catch(failed);
  return {
    message: (text) => {
      receive(talk, text).catch(failed);
    },
    closed: () => {
      client.then((it) => it.closed(), failed);
    },
  };
}

async function greet({ client, socket }: Talk): Promise<void> {
  const welcome = await (await client).call("hello", { kind: "browser" });
  socket.send(notification("hello", Object(welcome)));
}

async function receive(talk: Talk, text: string): Promise<void> {
  const given = parse(text);
  if (given === undefined) return send(talk, broken(talk, garbageOf(null, RPC_CODES.parse, "a message must be JSON")));
  if (!Array.isArray(given)) return send(talk, await one(talk, given));
  if (given.length === 0 || given.length > BATCH_MAX)
    return send(talk, broken(talk, garbageOf(null, RPC_CODES.invalid, `a batch must have 1 to ${BATCH_MAX} calls`)));
  const done = await Promise.all(given.map((each: unknown) => one(talk, each)));
  const texts = done.flatMap(({ answer }) => (answer === undefined ? [] : [JSON.stringify(answer)]));
  if (texts.length > 0) talk.socket.send(`[${texts.join(",")}]`);
  for (const { start } of done) start?.();
}

/** Outcome of a call: its answer, unless it is not wanted, and what begins behind it. */
interface Done {
  readonly answer?: RpcAnswer;
  readonly start?: (() => void) | undefined;
}

function send({ socket }: Talk, { answer, start }: Done): void {
  if (answer !== undefined) socket.send(JSON.stringify(answer));
  start?.();
}

async function one(talk: Talk, given: unknown): Promise<Done> {
  const parsed = callSchema.safeParse(given);
  if (!parsed.success) {
    const list = typeof given === "object" && given !== null && "params" in given && Array.isArray(given.params);
    const why = list ? "parameters must be given by name" : "not a JSON-RPC 2.0 call";
    return broken(talk, garbageOf(idOf(given), list ? RPC_CODES.params : RPC_CODES.invalid, why));
  }
  const { id } = parsed.data;
  try {
    const { result, start } = await work(talk, parsed.data);
    return { ...(id === undefined ? {} : { answer: toRpcResult(id, result) }), start };
  } catch (error) {
    return id === undefined ? {} : { answer: toRpcError(id, toWireError(error)) };
  }
}

async function work(talk: Talk, call: RpcCall): Promise<{ readonly result: unknown; readonly start?: () => void }> {
  const { method, params, key, again } = call;
  if (method === "events.subscribe") {
    const begun = await talk.follows.begin(parsed(followSchema, params));
    return { result: begun.answer, start: begun.start };
  }
  if (method === "events.unsubscribe") return { result: await talk.follows.end(parsed(unfollowSchema, params).sub) };
  if (HIDDEN.test(method)) throw unknown(method);
  const { cwd, env } = talk.parts.defaults;
  const whole = BEGINS.has(method) ? { cwd, env, ...params } : params;
  const client = await talk.client;
  if (method === "turn.submit") await visit(talk, client, params["session_id"]);
  const result = await client.call(method, whole, { key, again });
  if (BEGINS.has(method)) talk.visited.add(Object(result).id);
  return { result };
}

/** An earlier owner may have begun the conversation: what its commands need of the environment is given once more, by each browser once. */
async function visit({ visited, parts }: Talk, client: OwnerClient, session: unknown): Promise<void> {
  if (visited.has(session)) return;
  if (visited.size >= VISITED_MAX) visited.clear();
  visited.add(session);
  // What cannot be opened is reported as the answer to the call itself.
  await client.call("session.visit", { session_id: session, env: parts.defaults.env }).catch(() => undefined);
}

const unknown = (method: string) =>
  new AppError("E_UNKNOWN_METHOD", `unknown method ${JSON.stringify(method)}`, { method });

/** @throws E_INVALID_PARAMS with the path of the first offending field */
function parsed<S extends z.ZodType>(schema: S, params: unknown): z.output<S> {
  const result = schema.safeParse(params);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const path = issue?.path.map(String).join(".") ?? "";
  throw new AppError("E_INVALID_PARAMS", `${path === "" ? "parameters" : path}: ${issue?.message ?? "invalid"}`, {
    path,
  });
}

function broken(talk: Talk, answer: RpcAnswer): Done {
  talk.broken += 1;
  const cut = () => talk.socket.close(CLOSE_CODES.policy, "too many invalid messages");
  return talk.broken >= BROKEN_MAX ? { answer, start: cut } : { answer };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // no JSON: the caller answers
  }
}

function idOf(given: unknown): CallId {
  const id: unknown = typeof given === "object" && given !== null && "id" in given ? given.id : null;
  return typeof id === "string" || typeof id === "number" ? id : null;
}
