import {
  type Client,
  isInputRequiredResult,
  type Progress,
  ProtocolError,
  ProtocolErrorCode,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Tool,
  type Transport,
} from "@modelcontextprotocol/client";
import { isRecord } from "../../lib/base/json/record.js";
import { settlesWithin } from "../../lib/base/time/settles-within.js";
import type { Ms } from "../../lib/base/units.js";
import type {
  McpAnswer,
  McpConnect,
  McpConnectError,
  McpConnection,
  McpFailure,
  McpRequest,
  McpVerdict,
} from "../../lib/contracts/mcp/connection.js";
import type { McpEntry } from "../../lib/contracts/mcp/entry.js";
import { type Asking, createAsking, createCallLimit } from "./call-limit.js";
import { createClient } from "./client.js";
import { connectErrorOf, failureOf } from "./failures.js";
import { guardedFetch } from "./guarded-fetch.js";
import { readLists } from "./lists.js";
import { notingScopes, storedLogin } from "./login/stored-login.js";
import type { Manifests } from "./manifest.js";
import type { McpParts } from "./parts.js";
import type { StartedProgram } from "./programs.js";
import { keepSubscribed } from "./subscription.js";

/** Extensions part, 2.6. */
const PING_EVERY_MS: Ms = 180_000;
const PING_MS: Ms = 30_000;
/** For a server that declares log messages and does not answer when it is asked for them. */
const LEVEL_MS: Ms = 2_000;
/** The client's own limits run while a person is asked; those of a call are kept beside it. */
const NO_LIMIT_MS: Ms = 2_000_000_000;

interface Way {
  readonly parts: McpParts;
  readonly manifests: Pick<Manifests, "verdict" | "decide">;
  readonly connect: McpConnect;
  /** Starts the program of the entry; absent for one with an address. */
  readonly start?: (() => Promise<StartedProgram>) | undefined;
}

/** A line to the server that is not agreed about yet. */
interface Line {
  readonly transport: Transport;
  readonly ended: Promise<string>;
  readonly pid?: number;
  /** Resolves when nothing of it is left. */
  readonly end: (reason: string) => Promise<void>;
}

/** Connect one server and agree on a revision. @throws McpConnectError */
export async function connectServer(way: Way): Promise<McpConnection> {
  const { manifests, connect } = way;
  const { name, entry } = connect;
  const known = await manifests.verdict(name, entry);
  const first = await attempt(way, known);
  if (first.ok) return first.connection;
  if (connect.signal.aborted) throw first.error;
  // A verdict that does not hold any more, or a server that ends when it is asked something that it does not know.
  if (known !== undefined) {
    await manifests.decide(name, entry, undefined);
    if (first.error.kind !== "failed" || !first.spoke) throw first.error;
  } else if (!first.closedEarly) throw first.error;
  const second = await attempt(way, known === undefined ? { kind: "legacy" } : undefined);
  if (second.ok) return second.connection;
  throw second.error;
}

type Attempt =
  | { readonly ok: true; readonly connection: McpConnection }
  | {
      readonly ok: false;
      readonly error: McpConnectError;
      /** Its program ended while the revision was agreed on. */
      readonly closedEarly: boolean;
      /** Something was there that answered. */
      readonly spoke: boolean;
    };

async function attempt(way: Way, verdict: McpVerdict | undefined): Promise<Attempt> {
  const { parts, connect, manifests } = way;
  const { entry, hooks, signal } = connect;
  const connectMs = entry.connect_timeout * 1000;
  let ended: string | undefined;
  let line: Line | undefined;
  try {
    line = way.start === undefined ? await httpLine(way) : programLine(await way.start());
    line.ended.then(
      (reason) => {
        ended = reason;
      },
      () => undefined,
    );
    const asking = createAsking();
    const level = entry.sampling.log_level;
    const client = createClient(parts.version, { connectMs, level }, { ...hooks, asked: asking.watched(hooks.asked) });
    await client.connect(line.transport, {
      timeout: connectMs,
      signal,
      ...(verdict === undefined ? {} : { prior: verdict as never }), // it was made by the client, or says no more than its kind
    });
    await askForMessages(client, level, signal);
    if (verdict === undefined) await manifests.decide(connect.name, entry, verdictOf(client));
    return { ok: true, connection: connectionOf(way, { client, line, asking }) };
  } catch (error) {
    await line?.transport.close().catch(() => undefined); // the first failure is the one to tell
    const told = connectErrorOf(error, ended);
    const closedEarly = ended !== undefined && line?.pid !== undefined && verdict === undefined;
    return { ok: false, error: told, closedEarly, spoke: ended === undefined || line?.pid !== undefined };
  }
}

/** A server of the older era learns once which of its messages are wanted; one of the newer era with each request. */
async function askForMessages(client: Client, level: McpEntry["sampling"]["log_level"], signal: AbortSignal) {
  if (client.getProtocolEra() === "modern" || client.getServerCapabilities()?.logging === undefined) return;
  await client.setLoggingLevel(level, { timeout: LEVEL_MS, signal }).catch(() => undefined); // ok to lose: it says what it likes
}

function verdictOf(client: Client): McpVerdict {
  const discover = client.getDiscoverResult();
  return client.getProtocolEra() === "modern" && discover !== undefined
    ? { kind: "modern", discover }
    : { kind: "legacy" };
}

function programLine({ transport }: StartedProgram): Line {
  return { transport, ended: transport.ended, pid: transport.pid, end: () => transport.close() };
}

async function httpLine({ parts, connect }: Way): Promise<Line> {
  const { entry, name } = connect;
  const { url = "" } = entry;
  const fetch = await guardedFetch(parts, { ...entry, url });
  const authProvider = entry.auth === "oauth" ? storedLogin({ name, fetch, parts }) : undefined;
  const sent = authProvider === undefined ? fetch : notingScopes({ name, fetch, parts });
  const options = {
    fetch: sent,
    redirectPolicy: "follow" as const,
    ...(authProvider === undefined ? {} : { authProvider }),
  };
  const transport =
    entry.transport === "sse"
      ? new SSEClientTransport(new URL(url), options)
      : new StreamableHTTPClientTransport(new URL(url), options);
  let tell: (reason: string) => void = () => undefined;
  const ended = new Promise<string>((resolve) => {
    tell = resolve;
  });
  return { transport, ended, end: async (reason) => tell(reason) };
}

interface Agreed {
  readonly client: Client;
  readonly line: Line;
  readonly asking: Asking;
}

function connectionOf({ parts, connect, manifests }: Way, { client, line, asking }: Agreed): McpConnection {
  const { entry, hooks } = connect;
  const tools = new Map<string, Tool>();
  const newer = client.getProtocolEra() === "modern";
  let over: string | undefined;
  let closing: Promise<void> | undefined;
  let wasRead = false;
  const stops: (() => void)[] = [];
  const finish = (reason: string): void => {
    over ??= reason;
    for (const stop of stops.splice(0)) stop();
  };
  line.ended.then(finish, (error: unknown) => finish(String(error)));
  client.onclose = () => {
    line.end("it closed the connection").catch((error: unknown) => hooks.say("debug", String(error)));
  };
  const close = (reason: string): Promise<void> => {
    finish(reason);
    closing ??= leave(client, parts)
      .then(() => client.close())
      .finally(() => line.end(reason));
    return closing;
  };
  /** Why this connection is no longer useful, for its holder. */
  const failed = (error: unknown, sent: { signal?: AbortSignal | undefined; timeoutMs: Ms }): McpFailure => {
    const session = line.pid === undefined && client.transport?.sessionId !== undefined;
    const failure = failureOf(error, { ...sent, session, ended: over });
    if (failure.kind === "lost" || failure.kind === "unsent" || failure.kind === "session") {
      close(failure.message).catch((late: unknown) => hooks.say("debug", String(late)));
    }
    return failure;
  };
  const connection: McpConnection = {
    revision: client.getNegotiatedProtocolVersion() ?? "unknown",
    newer,
    ...(line.pid === undefined ? {} : { pid: line.pid }),
    ended: line.ended,
    lists: async (timeoutMs, signal) => {
      try {
        const lists = await readLists(client, { tools, timeoutMs, ...(signal === undefined ? {} : { signal }) });
        wasRead = true;
        return lists;
      } catch (error) {
        const failure = failed(error, { signal, timeoutMs });
        // What it was taken for does not hold: the next connection asks it again.
        if (failure.kind === "answered") await manifests.decide(connect.name, entry, undefined);
        throw failure;
      }
    },
    send: async (request) => {
      const limit = createCallLimit(parts.clock, request, asking);
      try {
        return await send(client, tools, { ...request, signal: limit.signal, progress: limit.progress });
      } catch (error) {
        throw limit.over() ?? failed(error, request);
      } finally {
        limit.end();
      }
    },
    rootsChanged: () => {
      if (!newer && hooks.asked.roots !== undefined)
        client.sendRootsListChanged().catch((error: unknown) => hooks.say("debug", String(error)));
    },
    close: () => close("it was stopped"),
  };
  if (newer) stops.push(keepSubscribed(client, parts.clock, { ...hooks, wasRead: () => wasRead }));
  else if (line.pid === undefined) stops.push(keepAlive(client, parts, (reason) => close(reason)));
  return connection;
}

const LEAVE_MS: Ms = 1_000;

/** A server of the older era keeps a session until it is ended. One that does not answer is left without. */
async function leave({ transport }: Client, { clock }: McpParts): Promise<void> {
  if (!(transport instanceof StreamableHTTPClientTransport) || transport.sessionId === undefined) return;
  const told = transport.terminateSession().catch(() => undefined); // ok to lose: sessions end by themselves
  await settlesWithin(clock, LEAVE_MS, told);
}

async function send(client: Client, tools: ReadonlyMap<string, Tool>, request: McpRequest): Promise<McpAnswer> {
  const { method, params, signal } = request;
  const options = {
    signal,
    timeout: NO_LIMIT_MS,
    allowInputRequired: true,
    onprogress: (progress: Progress) => request.progress?.(progressText(progress)),
  };
  let result: unknown;
  try {
    result =
      method === "tools/call"
        ? await client.callTool(params as never, { ...options, ...definitionFor(tools, params) }) // checked by the client when it sends it
        : await client.request({ method, params }, options);
  } catch (error) {
    const asked = addressesIn(error);
    if (asked === undefined) throw error;
    return { kind: "urls", asked };
  }
  if (isInputRequiredResult(result)) {
    const { inputRequests = {}, requestState: state } = result;
    return { kind: "input", requests: inputRequests, ...(state === undefined ? {} : { state }) };
  }
  return { kind: "result", result: result as Readonly<Record<string, unknown>> }; // results of the protocol are objects
}

/** The addresses that a server wants opened before it answers; undefined: it failed otherwise. */
function addressesIn(error: unknown): readonly Readonly<Record<string, unknown>>[] | undefined {
  if (!(error instanceof ProtocolError) || error.code !== ProtocolErrorCode.UrlElicitationRequired) return undefined;
  const asked: unknown = isRecord(error.data) ? error.data["elicitations"] : undefined;
  return Array.isArray(asked) ? asked.filter(isRecord).map((one) => ({ ...one, mode: "url" })) : undefined;
}

/** The tool as its server defines it: arguments that it wants as headers are named there. */
function definitionFor(tools: ReadonlyMap<string, Tool>, params: Readonly<Record<string, unknown>>) {
  const tool = tools.get(String(params["name"]));
  if (tool === undefined) return {};
  const { outputSchema: _output, ...toolDefinition } = tool;
  return { toolDefinition };
}

function progressText({ progress, total, message }: Progress): string {
  const count = total === undefined ? `${progress}` : `${progress}/${total}`;
  return message === undefined ? count : `${count} ${message}`;
}

/** A ping every three minutes: what lies between may have dropped the connection without a word. */
function keepAlive(client: Client, { clock }: McpParts, end: (reason: string) => Promise<void>): () => void {
  let stop: () => void = () => undefined;
  const next = (): void => {
    stop = clock.after(PING_EVERY_MS, () => {
      client.ping({ timeout: PING_MS }).then(next, () => end("it did not answer a ping"));
    });
  };
  next();
  return () => stop();
}
