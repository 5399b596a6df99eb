import { allowManyListeners } from "../base/async/aborted.js";
import { AppError, systemCode, toAppError, toWireError } from "../base/errors.js";
import { isRecord } from "../base/json/record.js";
import { LIMITS } from "../base/limits.js";
import type { Log } from "../base/log/log.js";
import { sha256 } from "../base/text/hash.js";
import type { LineKey } from "../contracts/board/board.js";
import {
  type Hello,
  helloSchema,
  PROTOCOL,
  requestSchema,
  type Welcome,
  type WireClaim,
  type WireEvent,
  type WireRequest,
} from "../contracts/wire/wire.js";
import type { Bus } from "./bus.js";
import type { Connection } from "./connection.js";
import type { KeyedCalls } from "./keyed.js";
import {
  type CallContext,
  type ClientContext,
  type ExecuteLine,
  type Method,
  type Methods,
  refuseTool,
} from "./methods.js";
import { invalidParams, parseParams } from "./params.js";
import { createFollowing, type Following } from "./peer-follow.js";
import { createRuns, type Runs } from "./peer-run.js";

/** What every peer shares. */
export interface PeerDeps {
  readonly methods: Methods;
  readonly run: ExecuteLine;
  readonly bus: Bus;
  readonly keyed: KeyedCalls;
  readonly log: Log;
  readonly welcome: Omit<Welcome, "protocol">;
  /** Check a worker's claim when it presents it. Absent: each operation checks it. */
  readonly admit?: (claim: WireClaim) => Promise<boolean>;
  /** Nothing new is begun any more. */
  leaving(): boolean;
  /** A request has been answered, or its client is gone. */
  answered(): void;
}

/** The owner's side of one client. */
export interface Peer {
  /** A message of the client. */
  message(text: string): void;
  /** Something other than a message. */
  garbage(why: string): void;
  /** The connection has closed. */
  closed(): void;
  /** Tell the client an event that concerns every client. */
  event(event: WireEvent): void;
  /** Requests that have no answer yet, subscriptions not counted. */
  open(): number;
  readonly kind: string;
}

/** Broken messages after which a client is cut off. */
const BROKEN_MAX = 16;

type Own = PeerDeps & {
  readonly connection: Connection;
  readonly client: Writable<ClientContext>;
  readonly control: AbortController;
  readonly open: Map<number, string>;
  readonly runs: Runs;
  readonly following: Following;
  broken: number;
  /** Too many broken messages: the rest is dropped unread. */
  cut: boolean;
};
type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** Serve the client at the other end of `connection`. */
export function createPeer(office: PeerDeps, connection: Connection, id: number): Peer {
  const control = new AbortController();
  allowManyListeners(control.signal); // of each line that runs and each conversation that is shown
  const client: Writable<ClientContext> = {
    id,
    transport: connection.transport,
    kind: "client",
    fromTool: connection.fromTool,
    signal: control.signal,
  };
  const following = createFollowing(office.bus, connection, control.signal, office.log);
  const own: Own = {
    ...office,
    connection,
    client,
    control,
    open: new Map(),
    runs: createRuns(office.run, connection, client),
    following,
    broken: 0,
    cut: false,
  };
  return {
    message: (text) => receive(own, text),
    garbage: (why) => broken(own, null, new AppError("E_INVALID", why)),
    closed: () => {
      control.abort(new AppError("E_OWNER_LOST", "the client has disconnected"));
      following.close();
    },
    event: (event) => connection.send(JSON.stringify(event)),
    open: () => own.open.size,
    get kind() {
      return client.kind;
    },
  };
}

function receive(own: Own, text: string): void {
  if (own.cut || own.client.signal.aborted) return;
  const raw = parseObject(text);
  if (raw === undefined) {
    broken(own, null, new AppError("E_INVALID", "a message must be a JSON object"));
    return;
  }
  const parsed = requestSchema.safeParse(raw);
  if (parsed.success) begin(own, parsed.data);
  else broken(own, idOf(raw), invalidParams(parsed.error));
}

function begin(own: Own, request: WireRequest): void {
  const { id } = request;
  if (id === undefined) {
    if (!own.runs.notify(request.method, request.params))
      broken(own, null, new AppError("E_INVALID", "a request must have an id"));
    return;
  }
  const refusal = refuse(own, id);
  if (refusal) {
    fail(own, id, refusal);
    return;
  }
  own.open.set(id, request.method);
  answer(own, id, request).catch((error: unknown) => {
    own.log.error("failed to respond", {
      client: own.client.id,
      method: request.method,
      error: toAppError(error).message,
    });
    own.connection.destroy();
  });
}

function refuse(own: Own, id: number): AppError | undefined {
  if (own.open.has(id))
    return new AppError("E_INVALID", `request id ${id} is in use`, { hint: "use a new id for each request" });
  if (own.open.size >= LIMITS.requestsPerClient) {
    return new AppError("E_BUSY", `too many open requests (limit ${LIMITS.requestsPerClient})`, {
      bound: LIMITS.requestsPerClient,
    });
  }
  if (own.leaving())
    return new AppError("E_OWNER_LOST", "the owner is stopping; the request was not started", { leaving: true });
  return undefined;
}

async function answer(own: Own, id: number, request: WireRequest): Promise<void> {
  let text: string;
  try {
    text = replyText(id, await dispatch(own, id, request));
  } catch (error) {
    text = errorText(id, logged(own, request.method, error));
  }
  own.open.delete(id);
  own.connection.send(text);
  own.following.answered(id);
  own.answered();
}

/** Defects leave a line in the log; the client gets the message, never the stack. */
function logged(own: Own, method: string, error: unknown): unknown {
  const app = toAppError(error);
  if (app.code === "E_INTERNAL")
    own.log.error("request failed", { client: own.client.id, method, error: app.message, system: systemCode(error) });
  return app;
}

async function dispatch(own: Own, id: number, request: WireRequest): Promise<unknown> {
  const { method, params } = request;
  if (method === "hello") return await hello(own, parseParams(helloSchema, params));
  const found = own.methods.get(method);
  if (own.client.claim !== undefined && found?.workers !== true && (found !== undefined || BUILT_IN.has(method))) {
    throw new AppError("E_FORBIDDEN", `${method} is not available to task workers`, { method });
  }
  if (method === "run") return await own.runs.start(id, params, lineOf(request));
  if (BUILT_IN.has(method)) return await own.following.call(id, method, params);
  if (!found) throw new AppError("E_UNKNOWN_METHOD", `unknown method ${JSON.stringify(method)}`, { method });
  if (own.client.claim === undefined && (found.access !== "read" || found.people === true))
    await refuseTool(own.client, method);
  own.client.signal.throwIfAborted(); // the client may have gone while its processes were looked up
  return await call(own, found, request);
}

async function call(own: Own, found: Method, request: WireRequest): Promise<unknown> {
  const params = parseParams(found.params, request.params);
  const { method, key } = request;
  const context: CallContext = { ...(key === undefined ? {} : { key }), ...(request.again ? { again: true } : {}) };
  const run = () => found.run(params, own.client, context);
  if (key === undefined || found.access === "read") return await run();
  const repeat = found.repeat?.(params) ?? "noted";
  const digest = repeat === "safe" ? "" : sha256(JSON.stringify(request.params));
  const recover = async () => (found.recover ? found.recover(params, own.client, context) : "unknown");
  return await own.keyed.once({ key, method, params: digest }, { repeat, run, recover });
}

/** A key that events can carry. */
const LINE_KEY = /^[0-9a-z]{1,64}$/;

const lineOf = ({ key, again = false }: WireRequest): LineKey | undefined =>
  key !== undefined && LINE_KEY.test(key) ? { key, again } : undefined;

const BUILT_IN = new Set(["run", "events.subscribe", "events.unsubscribe", "topics.follow", "topics.unfollow"]);

async function hello(own: Own, given: Hello): Promise<Welcome> {
  if (given.protocol !== PROTOCOL) {
    throw new AppError(
      "E_OWNER",
      `the owner (pid ${own.welcome.pid}, version ${own.welcome.version}) uses protocol ${PROTOCOL}, not ${given.protocol}`,
      {
        hint: "stop the older of the two programs",
      },
    );
  }
  own.client.kind = given.kind;
  if (given.claim !== undefined) await present(own, given.claim);
  return { protocol: PROTOCOL, ...own.welcome };
}

async function present(own: Own, claim: WireClaim): Promise<void> {
  const had = own.client.claim;
  if (had !== undefined && JSON.stringify(had) !== JSON.stringify(claim))
    throw new AppError("E_FORBIDDEN", "this client already has another claim");
  own.client.claim = claim; // bound before it is checked, so that no request in between has more rights than the worker
  if (own.admit && !(await own.admit(claim)))
    throw new AppError("E_CLAIM_LOST", `run ${claim.run} of ${claim.task} is not open`, {
      task: claim.task,
      run: claim.run,
    });
}

function broken(own: Own, id: number | null, error: AppError): void {
  own.broken += 1;
  fail(own, id, error);
  if (own.broken < BROKEN_MAX) return;
  own.log.warning("client disconnected: too many invalid messages", {
    client: own.client.id,
    transport: own.client.transport,
    broken: own.broken,
  });
  own.cut = true;
  own.connection.end();
}

function fail(own: Own, id: number | null, error: AppError): void {
  own.connection.send(errorText(id, error));
}

function errorText(id: number | null, error: unknown): string {
  const text = JSON.stringify({ id, error: toWireError(error) });
  if (Buffer.byteLength(text) <= LIMITS.messageBytes) return text;
  const app = toAppError(error);
  return JSON.stringify({ id, error: toWireError(new AppError(app.code, app.message.slice(0, 4096))) });
}

function replyText(id: number, result: unknown): string {
  const text = JSON.stringify({ id, result: result ?? null });
  if (text.length <= LIMITS.messageBytes / 3) return text; // three bytes a unit at most: nearly every answer, and it is counted once more when it is sent
  const bytes = Buffer.byteLength(text);
  if (bytes <= LIMITS.messageBytes) return text;
  throw new AppError("E_TOO_LARGE", `the response has ${bytes} bytes (limit ${LIMITS.messageBytes})`, {
    bytes,
    hint: "request fewer items",
  });
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined; // no JSON: the caller answers
  }
}

function idOf(raw: Record<string, unknown>): number | null {
  const id = raw["id"];
  return typeof id === "number" && Number.isSafeInteger(id) && id >= 0 ? id : null;
}
