import { chmodSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { createIntake } from "../../base/async/intake.js";
import { AppError, toAppError } from "../../base/errors.js";
import type { Home } from "../../base/home.js";
import { LIMITS } from "../../base/limits.js";
import type { Log } from "../../base/log/log.js";
import { findProcess } from "../../base/process/process.js";
import type { CallbackResult, CallbackSocket, CallbackTools } from "../../contracts/runtimes/callback.js";
import { type CallbackReply, type CallbackRequest, callbackRequest } from "../../contracts/runtimes/callback-wire.js";
import { createLineReader } from "../lines.js";
import { privateDirectory } from "../socket.js";

export interface CallbackSocketDeps {
  readonly home: Pick<Home, "runDir">;
  readonly log: Log;
  readonly tools: CallbackTools;
}

/** Bytes of a socket's path that every system takes. */
const PATH_BYTES = 100;
const PREFIX = "callback-";
let opened = 0;

/**
 * Listen on a socket of its own for the callback servers of one conversation's program. Sockets that a killed process left are removed first.
 *
 * @throws E_OWNER when no private directory can be made for it
 */
export async function openCallbackSocket(deps: CallbackSocketDeps): Promise<CallbackSocket> {
  opened += 1;
  const name = `${PREFIX}${process.pid}-${findProcess(process.pid)?.start ?? ""}-${opened}`;
  const parent = parentFor(deps.home.runDir, name);
  privateDirectory(parent);
  removeLeftovers(parent);
  const dir = join(parent, name);
  mkdirSync(dir, { mode: 0o700 });
  const socket = join(dir, "s");
  const open = new Set<Visitor>();
  const server = createServer((connection) => {
    const visitor = receive(deps, connection, () => open.delete(visitor));
    open.add(visitor);
  });
  server.maxConnections = LIMITS.callbackConnections;
  try {
    await listening(server, socket);
    chmodSync(socket, 0o600);
  } catch (error) {
    rmSync(dir, { recursive: true, force: true });
    throw error;
  }
  server.on("error", (error) => deps.log.warning("a callback server failed to connect", { error: error.message }));
  let closed: Promise<void> | undefined;
  return {
    socket,
    close: () => {
      closed ??= close(server, open, dir);
      return closed;
    },
  };
}

async function close(server: Server, open: ReadonlySet<Visitor>, dir: string): Promise<void> {
  const quiet = new Promise<void>((resolve) => server.close(() => resolve()));
  const over = [...open].map((visitor) => visitor.leave());
  await Promise.all([quiet, ...over]);
  rmSync(dir, { recursive: true, force: true });
}

/** Beside the owner's socket; where that path would be too long, under the temporary directory. */
function parentFor(runDir: string, name: string): string {
  const own = `agent-${userInfo().uid}-callback`;
  const fits = [runDir, join(tmpdir(), own), join("/tmp", own)].find(
    (dir) => Buffer.byteLength(join(dir, name, "s")) <= PATH_BYTES,
  );
  if (fits !== undefined) return fits;
  throw new AppError("E_OWNER", `no path for the callback socket of ${runDir} has at most ${PATH_BYTES} bytes`, {
    hint: "set TMPDIR to a directory with a shorter path",
  });
}

/** A door's directory names the process that opened it: one whose process is gone is left over. */
function removeLeftovers(parent: string): void {
  for (const name of readdirSync(parent)) {
    const [, pid, start] = /^callback-(\d+)-(\d*)-\d+$/.exec(name) ?? [];
    if (pid === undefined) continue;
    const found = findProcess(Number(pid));
    if (found !== undefined && !found.zombie && (start === "" || found.start === start)) continue;
    rmSync(join(parent, name), { recursive: true, force: true });
  }
}

function listening(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

interface Visitor {
  /** Cut it off. Resolves when its calls have ended. */
  leave(): Promise<void>;
}

interface OpenCalls {
  readonly aborts: Map<number, AbortController>;
  readonly running: Set<Promise<void>>;
}

/** One callback server: its requests run beside one another, and end with its connection. */
function receive({ tools, log }: CallbackSocketDeps, socket: Socket, gone: () => void): Visitor {
  const calls: OpenCalls = { aborts: new Map(), running: new Set() };
  const intake = createIntake(socket);
  const stop = () => {
    intake.close();
    for (const abort of calls.aborts.values())
      abort.abort(new AppError("E_INTERRUPTED", "the callback server has gone"));
    gone();
  };
  const refuse = (why: string) => {
    log.warning("a callback server was refused", { why });
    socket.end(lineOf({ id: null, error: { code: "E_INVALID", message: why } }));
    socket.destroySoon();
  };
  const reader = createLineReader(
    LIMITS.messageBytes,
    (text) =>
      intake.add(text.length, () => {
        const request = parse(text);
        if (request === undefined) refuse("a line must be a request: list, call or cancel");
        else begin({ tools, socket, calls }, request);
      }),
    (why) => refuse(why === "too large" ? `a message exceeds ${LIMITS.messageBytes} bytes` : "a message must be UTF-8"),
  );
  socket.on("data", reader.push);
  socket.on("error", () => socket.destroy());
  socket.on("close", stop);
  return {
    leave: async () => {
      socket.destroy();
      stop();
      await Promise.allSettled(calls.running);
    },
  };
}

function parse(text: string): CallbackRequest | undefined {
  try {
    return callbackRequest.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined; // no JSON
  }
}

interface Served {
  readonly tools: CallbackTools;
  readonly socket: Socket;
  readonly calls: OpenCalls;
}

function begin({ tools, socket, calls }: Served, request: CallbackRequest): void {
  const { id } = request;
  if (request.method === "cancel") {
    calls.aborts.get(id)?.abort(new AppError("E_INTERRUPTED", "the call was cancelled"));
    return;
  }
  // A call counts until its answer was taken, so that a client that does not read cannot fill the memory.
  if (calls.aborts.size >= LIMITS.callbackCalls || calls.aborts.has(id)) {
    const busy = calls.aborts.has(id) ? `request ${id} is running already` : `too many calls at once`;
    socket.end(lineOf({ id, error: { code: "E_BUSY", message: `${busy} (limit ${LIMITS.callbackCalls})` } }));
    return;
  }
  const abort = new AbortController();
  calls.aborts.set(id, abort);
  const work = answer(tools, request, abort.signal)
    .catch((error: unknown): CallbackReply => ({ id, error: wire(error) }))
    .then((reply) => written(socket, lineOf(reply)))
    .finally(() => {
      calls.aborts.delete(id);
      calls.running.delete(work);
    });
  calls.running.add(work);
}

async function answer(
  tools: CallbackTools,
  request: Exclude<CallbackRequest, { method: "cancel" }>,
  signal: AbortSignal,
): Promise<CallbackReply> {
  const { id } = request;
  if (request.method === "list") return { id, result: await tools.list() };
  return { id, result: fitted(await tools.call(request.name, request.args ?? {}, signal)) };
}

/** Pictures that do not fit into an answer are left out, and the text says so. */
function fitted(result: CallbackResult): CallbackResult {
  const { images = [], ...rest } = result;
  let room = LIMITS.callbackReplyBytes - Buffer.byteLength(result.text) * 2;
  const kept = images.filter(({ base64 }) => {
    room -= base64.length;
    return room > 0;
  });
  const left = images.length - kept.length;
  const text = left === 0 ? result.text : `${result.text}\n[${left} pictures are too large to be passed on]`;
  return { ...rest, text, ...(kept.length === 0 ? {} : { images: kept }) };
}

const wire = (thrown: unknown) => {
  const { code, message, hint } = toAppError(thrown);
  return { code, message, hint };
};

const lineOf = (reply: CallbackReply): string => `${JSON.stringify(reply)}\n`;

/** Resolves when the bytes have left, or the other side has gone. */
function written(socket: Socket, text: string): Promise<void> {
  if (socket.destroyed || socket.writableEnded) return Promise.resolve();
  return new Promise((resolve) => {
    socket.write(text, () => resolve());
  });
}
