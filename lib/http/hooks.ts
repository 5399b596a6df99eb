import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { AppError, ERRORS, systemCode, toAppError } from "../base/errors.js";
import type { Log } from "../base/log/log.js";
import type { Clock } from "../base/time/clock.js";
import type { Ms } from "../base/units.js";
import {
  type HookListener,
  type HookPlan,
  type HookReply,
  type HookRequest,
  hookText,
  type OpenHooks,
} from "../contracts/gateway/listen.js";
import type { AdapterFault } from "../contracts/gateway/platform.js";
import { splitTarget } from "./admission.js";
import { guard } from "./guard.js";
import { type BodyRoom, NoRoom, readHookBody } from "./hook-body.js";
import { sendHook } from "./hook-reply.js";
import { findHook } from "./hook-routes.js";
import { authority, createHttpServer, headOf, listenOn } from "./listener.js";

/** How long a request may take to arrive, and how long a connection may stand still. */
const REQUEST_MS: Ms = 30_000;
const IDLE_MS: Ms = 60_000;
const CONNECTIONS = 1024;
/** How long answers that are being made are waited for when a listener closes. */
const GRACE_MS: Ms = 3_000;

export interface HooksDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** Other listeners of this home, as messages name them. */
  readonly others?: () => readonly { readonly name: string; readonly port: number }[];
}

/**
 * The listeners of the gateway: public by purpose, so each request shows by a signature who sent it. They answer no page of a browser
 * (no CORS headers), log neither bodies nor headers, and take bodies up to a limit, while they are read.
 */
export function createHooks(deps: HooksDeps): OpenHooks {
  const open = new Set<{ readonly plan: HookPlan; readonly port: number }>();
  return async (plan) => {
    const hooks = serve(deps, plan);
    let port: number;
    try {
      port = await listenOn(hooks.server, plan.host, plan.port);
    } catch (error) {
      const holder = [...open].find((one) => one.port === plan.port);
      const ours =
        holder === undefined ? deps.others?.().find((one) => one.port === plan.port)?.name : holder.plan.owner;
      return cannotListen(plan, toAppError(error), ours);
    }
    const entry = { plan, port };
    open.add(entry);
    const close = async () => {
      open.delete(entry);
      await hooks.close();
    };
    return { host: plan.host, port, address: authority(plan.host, port), close } satisfies HookListener;
  };
}

/** A place that is wrong stays wrong; one that is taken may become free. */
function cannotListen({ host, port, portSetting }: HookPlan, error: AppError, ours: string | undefined): AdapterFault {
  const code = systemCode(error.cause) ?? "";
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND" || code === "EAI_AGAIN") {
    const setting = portSetting.replace(/PORT$/, "HOST");
    return { code: "config_invalid", message: `${setting} is not an address of this machine: ${host}` };
  }
  const place = authority(host, port);
  const advice = `set ${portSetting} to another port, or stop the program that uses it`;
  if (code === "EADDRINUSE" && ours !== undefined) {
    return {
      code: "port_in_use",
      message: `port ${port} is in use: the listener of ${ours} of this home uses ${place}; ${advice}`,
    };
  }
  return { code: "port_in_use", message: `cannot bind port ${port}: ${error.message}; ${advice}` };
}

interface Serving {
  readonly deps: HooksDeps;
  readonly plan: HookPlan;
  readonly room: BodyRoom;
  /** Answers that are being made. */
  readonly under: Set<Promise<void>>;
  /** Requests whose clients are still there; aborted when the listener closes. Not joined to one signal of the listener, which would remember each. */
  readonly open: Set<AbortController>;
}

function serve(deps: HooksDeps, plan: HookPlan): { readonly server: Server; readonly close: () => Promise<void> } {
  const control = new AbortController();
  const serving: Serving = { deps, plan, room: { used: 0 }, under: new Set(), open: new Set() };
  const shape = ({ message }: { readonly message: string }) => {
    const reply = plan.problem?.(400, message);
    return reply !== undefined && "json" in reply ? reply.json : { error: message };
  };
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    if (control.signal.aborted) return void response.destroy();
    const answering = respond(serving, request, response).finally(() => serving.under.delete(answering));
    serving.under.add(answering);
  };
  const server = createHttpServer(onRequest, shape, REQUEST_MS);
  server.maxConnections = CONNECTIONS;
  server.setTimeout(IDLE_MS);
  let closed: Promise<void> | undefined;
  return {
    server,
    close: () => {
      closed ??= end(server, serving, control);
      return closed;
    },
  };
}

async function end(server: Server, { deps, under, open }: Serving, control: AbortController): Promise<void> {
  const gone = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  control.abort();
  for (const one of open) one.abort(new AppError("E_INTERRUPTED", "the listener is closing"));
  const cancel = deps.clock.after(GRACE_MS, () => server.closeAllConnections());
  await Promise.race([Promise.allSettled([...under]), gone]);
  server.closeAllConnections();
  await gone;
  cancel();
}

/** Never rejects. */
async function respond(serving: Serving, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { log } = serving.deps;
  response.on("error", () => undefined); // its reader is gone
  request.on("error", () => undefined);
  try {
    const reply = await answered(serving, request, response);
    if (reply === undefined || response.destroyed || response.headersSent) response.destroy();
    else await sendHook(response, reply);
  } catch (error) {
    log.error("failed to answer a request", { listener: serving.plan.owner, error: toAppError(error).message });
    response.destroy();
  }
}

/** Undefined: no client waits for an answer. */
async function answered(
  serving: Serving,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<HookReply | undefined> {
  const { plan, deps } = serving;
  const problem = plan.problem ?? ((status, message) => hookText(status, message));
  const verdict = guard(headOf(request), PUBLIC);
  if (!verdict.ok) return problem(verdict.status, verdict.message);
  const { path, query } = splitTarget(request.url ?? "");
  const found = findHook(plan.routes, request.method ?? "", path);
  if (found === undefined) return problem(404, "not found");
  if ("allowed" in found) {
    const allow = found.allowed.join(", ");
    const reply = problem(405, `allowed: ${allow}`);
    return { ...reply, headers: { ...reply.headers, allow } };
  }
  const gone = new AbortController();
  const { signal } = gone;
  serving.open.add(gone);
  response.once("close", () => {
    serving.open.delete(gone);
    gone.abort(new AppError("E_INTERRUPTED", "the client disconnected"));
  });
  const given: HookRequest = {
    method: request.method ?? "",
    path,
    query,
    params: found.params,
    signal,
    address: request.socket.remoteAddress ?? "",
    header: (name) => headerOf(request, name),
    read: (maxBytes) => readHookBody({ request, response, signal, room: serving.room }, maxBytes),
  };
  try {
    return await found.route.run(given);
  } catch (error) {
    if (error instanceof NoRoom)
      return { ...problem(503, "too many requests in progress"), headers: { "retry-after": "30" } };
    const known = toAppError(error);
    if (known.code === "E_INTERRUPTED") return undefined;
    const own = known.data["http"];
    const status = typeof own === "number" ? own : ERRORS[known.code].http;
    if (status < 500) return problem(status, known.message);
    deps.log.error("request failed", { listener: plan.owner, error: known.message });
    return problem(500, "internal error; see the log");
  }
}

const PUBLIC = {
  local: false,
  pages: false,
  bindHost: "",
  ownAddresses: [],
  allowedHosts: [],
  allowedOrigins: [],
} as const;

/** All values, as they came: what Node makes of repeated headers differs from name to name. */
function headerOf({ rawHeaders }: IncomingMessage, name: string): string | undefined {
  const values: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.toLowerCase() === name) values.push(rawHeaders[at + 1] ?? "");
  return values.length === 0 ? undefined : values.join(", ");
}
