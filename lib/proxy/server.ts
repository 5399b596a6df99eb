import { AppError } from "../base/errors.js";
import type { Log } from "../base/log/log.js";
import type { Relay } from "../base/net/relay.js";
import type { Clock } from "../base/time/clock.js";
import { settlesWithin } from "../base/time/settles-within.js";
import type { Ms } from "../base/units.js";
import type { LiveListener } from "../contracts/owner/listeners.js";
import type { ProxyAdapter } from "../contracts/owner/proxy.js";
import { type GuardRules, valuesOf } from "../http/guard.js";
import {
  authority,
  createHttpServer,
  type HttpRequest,
  type HttpResponse,
  type HttpServer,
  headOf,
  listenOn,
  ownAddresses,
  refuse,
} from "../http/listener.js";
import { createThrottle, type Throttle } from "../http/token.js";
import { type Admitted, admitProxyRequest, type ProxyGate } from "./admit.js";
import { preflightHeaders, readableBy } from "./cors.js";
import { type ForwardTally, forward } from "./forward.js";
import { asRecord } from "./headers.js";
import { splitRawTarget } from "./paths.js";
import { brokenBody, type ProxyRefusal, refusalBody, toRefusal } from "./refusal.js";
import type { ProxySettings } from "./settings.js";

export interface ProxyListenerDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly relay: Relay;
  readonly adapter: ProxyAdapter;
  readonly settings: () => ProxySettings;
  readonly host: string;
  /** What clients have to present; undefined on loopback. */
  readonly token: string | undefined;
}

/** Requests of a listener since it was opened. */
export interface Counts {
  readonly active: number;
  readonly total: number;
  readonly errors: number;
}

export interface ProxyListener extends LiveListener {
  counts(): Counts;
}

interface Own extends ProxyListenerDeps {
  readonly server: HttpServer;
  readonly throttle: Throttle;
  readonly closing: AbortController;
  /** Connections on which a request was refused: nothing more is taken from them. */
  readonly refused: WeakSet<object>;
  readonly counts: { active: number; total: number; errors: number };
  /** Called when a request is over. */
  idle: () => void;
}

/** No limit for the whole of a request: what counts is the silence in its body. */
const BODY_WATCHED = 0;

/** Open one listener of the proxy. @throws E_CONFIG when it cannot listen there */
export async function openProxyListener(deps: ProxyListenerDeps, port: number): Promise<ProxyListener> {
  const server = createHttpServer((request, response) => take(own, request, response), brokenBody, BODY_WATCHED);
  const own: Own = {
    ...deps,
    server,
    throttle: createThrottle(deps.clock),
    closing: new AbortController(),
    refused: new WeakSet(),
    counts: { active: 0, total: 0, errors: 0 },
    idle: () => undefined,
  };
  const taken = await listenOn(server, deps.host, port);
  return {
    port: taken,
    url: `http://${authority(deps.host, taken)}/v1`,
    counts: () => ({ ...own.counts }),
    close: (grace) => close(own, grace),
  };
}

/** New connections are refused at once, open requests get their time, then both sides are dropped. */
async function close(own: Own, grace: Ms): Promise<void> {
  const { server, clock, counts, closing } = own;
  closing.abort();
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const idle = new Promise<void>((resolve) => {
    own.idle = () => {
      server.closeIdleConnections();
      if (counts.active === 0) resolve();
    };
  });
  own.idle();
  if (grace > 0) await settlesWithin(clock, grace, idle);
  server.closeAllConnections();
  await closed;
}

/** One request and its answer. */
interface Visit {
  readonly own: Own;
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  readonly tally: ForwardTally;
}

function take(own: Own, request: HttpRequest, response: HttpResponse): void {
  if (own.refused.has(request.socket)) return;
  const began = own.clock.mono();
  const tally: ForwardTally = { status: 0, in: 0, out: 0, retried: false, truncated: "no" };
  own.counts.active += 1;
  own.counts.total += 1;
  serve({ own, request, response, tally })
    .catch((error: unknown) => {
      own.log.error("a request failed", { error: error instanceof Error ? error.message : String(error) });
      response.destroy();
    })
    .finally(() => {
      own.counts.active -= 1;
      if (tally.status >= 400 || tally.truncated !== "no") own.counts.errors += 1;
      note(own, request, tally, own.clock.mono() - began);
      own.idle();
    });
}

/** A path may be as long as a request head. */
const NOTED_CHARS = 200;

function note({ log, adapter }: Own, request: HttpRequest, tally: ForwardTally, ms: Ms): void {
  const { status, retried, truncated } = tally;
  const path = splitRawTarget(request.url ?? "").path.slice(0, NOTED_CHARS);
  const facts = {
    method: request.method ?? "",
    path,
    adapter: adapter.name,
    status,
    in: tally.in,
    out: tally.out,
    ms: Math.round(ms),
  };
  log.info("request", { ...facts, retried: retried ? "yes" : "no", truncated });
}

async function serve(visit: Visit): Promise<void> {
  const { own, request } = visit;
  const settings = own.settings();
  const admitted = admitProxyRequest(headOf(request), gateOf(own, settings));
  if (admitted.kind === "preflight") preflight(visit, admitted);
  else if (admitted.kind === "refused") await turnAway(visit, admitted);
  else if (own.counts.active > settings.maxRequests) answer(visit, busy(settings.maxRequests), admitted.cors);
  else await passOn(visit, admitted, settings);
}

function gateOf({ host, adapter, token }: Own, settings: ProxySettings): ProxyGate {
  const rules: GuardRules = {
    local: true,
    pages: false,
    bindHost: host,
    // Asked for only by requests to an address that is neither loopback nor the one that was bound; addresses come and go.
    get ownAddresses() {
      return ownAddresses();
    },
    allowedHosts: settings.allowedHosts,
    allowedOrigins: settings.allowedOrigins,
  };
  return { rules, paths: adapter.allowedPaths, token, maxBodyBytes: settings.maxBodyBytes };
}

const busy = (max: number): ProxyRefusal => ({
  status: 503,
  code: "proxy_busy",
  message: `too many requests (proxy.max_requests is ${max})`,
  headers: { "retry-after": "1" },
});

/** What the log says in place of a status that did not reach a client. */
const CLIENT_GONE = 499;

async function passOn(
  visit: Visit,
  admitted: Extract<Admitted, { kind: "forward" }>,
  settings: ProxySettings,
): Promise<void> {
  const { own, request, response, tally } = visit;
  const gone = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) gone.abort(new AppError("E_INTERRUPTED", "the client disconnected"));
  });
  try {
    await forward(own, { request, response, admitted, settings, gone: gone.signal, tally });
  } catch (error) {
    if (gone.signal.aborted) {
      tally.status = CLIENT_GONE;
      tally.truncated = "client";
      return;
    }
    const refusal = toRefusal(error);
    if (refusal.code === "proxy_error")
      own.log.error("a request failed", { error: error instanceof Error ? error.message : String(error) });
    answer(visit, refusal, admitted.cors);
  }
}

/** Who guesses tokens waits for the answers. */
async function turnAway(visit: Visit, { refusal, cors }: Extract<Admitted, { kind: "refused" }>): Promise<void> {
  const { own, request, tally } = visit;
  if (refusal.code === "proxy_token_required" && !(await own.throttle.failed(own.closing.signal))) {
    tally.status = refusal.status;
    request.socket.destroy();
    return;
  }
  answer(visit, refusal, cors);
}

function answer({ own, request, response, tally }: Visit, refusal: ProxyRefusal, cors: string | undefined): void {
  const { status, headers } = refusal;
  tally.status = status;
  own.refused.add(request.socket);
  refuse(own.clock, request, response, {
    status,
    body: refusalBody(refusal),
    headers: { ...headers, ...asRecord(readableBy(cors)) },
  });
}

function preflight(
  { request, response, tally }: Visit,
  { cors, methods }: Extract<Admitted, { kind: "preflight" }>,
): void {
  tally.status = 204;
  request.resume();
  response.writeHead(204, preflightHeaders(cors, methods, valuesOf(headOf(request), "access-control-request-headers")));
  response.end();
}
