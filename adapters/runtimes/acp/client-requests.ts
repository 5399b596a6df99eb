import { isAbsolute } from "node:path";
import {
  type ClientApp,
  methods,
  type ReadTextFileRequest,
  RequestError,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type WriteTextFileRequest,
} from "@agentclientprotocol/sdk";
import { AppError } from "../../../lib/base/errors.js";
import type { RuntimeHost } from "../../../lib/contracts/runtimes/runtime.js";

/** The turn that runs on a session, as its requests meet it. */
export interface RequestDesk {
  readonly host: Pick<RuntimeHost, "readFile" | "writeFile">;
  permit(request: RequestPermissionRequest, signal: AbortSignal): Promise<RequestPermissionResponse>;
}

export interface ClientRequests {
  /** The running turn of a session; undefined: none runs, and nothing is allowed. */
  turnOf(sessionId: string): RequestDesk | undefined;
}

/** Answer what a program asks of its client. Everything else is "method not found". */
export const onClientRequests = (app: ClientApp, desk: ClientRequests): ClientApp =>
  app
    .onRequest(methods.client.session.requestPermission, async ({ params, signal }) => {
      const turn = desk.turnOf(params.sessionId);
      return turn === undefined ? { outcome: { outcome: "cancelled" } } : await turn.permit(params, signal);
    })
    .onRequest(methods.client.fs.readTextFile, async ({ params }) => ({ content: await readFile(params, desk) }))
    .onRequest(methods.client.fs.writeTextFile, async ({ params, signal }) => {
      await writeFile(params, desk, signal);
      return {};
    });

async function readFile(params: ReadTextFileRequest, desk: ClientRequests): Promise<string> {
  const { host } = open(params, desk);
  const range = {
    ...(typeof params.line === "number" ? { line: params.line } : {}),
    ...(typeof params.limit === "number" ? { limit: params.limit } : {}),
  };
  return orRefusal(params.path, () => host.readFile(params.path, range));
}

async function writeFile(params: WriteTextFileRequest, desk: ClientRequests, signal: AbortSignal): Promise<void> {
  const { host } = open(params, desk);
  await orRefusal(params.path, () => host.writeFile(params.path, params.content, signal));
}

function open({ sessionId, path }: { sessionId: string; path: string }, desk: ClientRequests): RequestDesk {
  if (!isAbsolute(path)) throw RequestError.invalidParams({ path }, "the path must be absolute");
  const turn = desk.turnOf(sessionId);
  if (turn === undefined) throw RequestError.invalidRequest({ sessionId }, "no turn is running");
  return turn;
}

/** What the file tools refuse, as an error of the protocol. */
async function orRefusal<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === "E_NOT_FOUND") throw RequestError.resourceNotFound(path);
    throw RequestError.invalidRequest({ path, code: error.code }, error.message);
  }
}
