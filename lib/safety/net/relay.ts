import type { AgentOptions, ClientRequest, RequestOptions } from "node:http";
import type { LookupFunction, Socket } from "node:net";
import { NetError } from "../../base/net/net.js";
import type { Relay, RelayAnswer, RelayCall, RelayRequest } from "../../base/net/relay.js";
import type { Clock } from "../../base/time/clock.js";
import { addressRefusal, checkUrl, type UrlCheck } from "./address.js";
import { netError, waitText } from "./exchange.js";
import { netModules } from "./modules.js";

/** Idle connections that are kept for the next request, and for how long: shorter than what servers commonly allow. */
const AGENT: AgentOptions = {
  keepAlive: true,
  maxFreeSockets: 128,
  timeout: 10_000,
  scheduling: "lifo",
  noDelay: true,
};

/** Bytes of the head of an answer. Servers of models send long ones. */
const ANSWER_HEAD_BYTES = 64 << 10;

/** The endpoint was chosen by the user, so that private addresses are allowed; those of clouds' metadata never are. */
const RULE = { purpose: "model", allowPrivate: true, fakeRanges: [] } as const;

interface Doors {
  readonly http: Pick<typeof import("node:http"), "request">;
  readonly https: Pick<typeof import("node:http"), "request">;
  readonly agents: Readonly<Record<"http" | "https", NonNullable<RequestOptions["agent"]>>>;
  readonly clock: Clock;
  readonly lookup: LookupFunction;
  readonly targets: Map<string, Target>;
}

/**
 * A relay on the real network. Addresses are checked where they are resolved, and again on the socket that was connected.
 *
 * @param resolve addresses of a name; default: the system's resolver
 */
export async function createRelay(clock: Clock, resolve?: Resolve): Promise<Relay> {
  const [http, https, dns] = await Promise.all([netModules.http(), netModules.https(), netModules.dns()]);
  const agents = { http: new http.Agent(AGENT), https: new https.Agent(AGENT) };
  const lookup = guardedLookup(resolve ?? ((host) => dns.lookup(host, { all: true })));
  const doors: Doors = { http, https, agents, clock, lookup, targets: new Map() };
  return {
    send: (request) => send(doors, request),
    close: () => {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

type Resolve = (host: string) => Promise<readonly { readonly address: string; readonly family: number }[]>;

/** Names are resolved once, and only for a new connection. */
function guardedLookup(resolve: Resolve): LookupFunction {
  return (host, options, done) => {
    const give = (found: Awaited<ReturnType<Resolve>>) => {
      const why = found
        .map(({ address }) => addressRefusal(address, host, true, RULE))
        .find((one) => one !== undefined);
      if (why !== undefined) throw new NetError("blocked", why);
      const wanted = found.filter(
        ({ family }) => !options.family || options.family === family || options.family === `IPv${family}`,
      );
      const [first] = wanted;
      if (first === undefined) throw new NetError("dns", `${host} has no address`);
      if (options.all) done(null, [...wanted]);
      else done(null, first.address, first.family);
    };
    resolve(host)
      .then(give)
      .catch((error: unknown) => done(error instanceof Error ? error : new Error(String(error)), "", 0));
  };
}

type Target = Extract<UrlCheck, { ok: true }>;

/** Addresses that were looked at and are remembered: where requests go is the same for most of them. */
const TARGETS_MAX = 64;

/** @throws NetError `blocked` */
function checkedTarget(targets: Map<string, Target>, href: string): Target {
  const known = targets.get(href);
  if (known) return known;
  const target = checkUrl(href);
  if (!target.ok) throw new NetError("blocked", target.reason);
  const refusal = target.literal ? addressRefusal(target.host, target.host, false, RULE) : undefined;
  if (refusal !== undefined) throw new NetError("blocked", refusal);
  if (targets.size >= TARGETS_MAX) targets.clear();
  targets.set(href, target);
  return target;
}

function send(doors: Doors, request: RelayRequest): RelayCall {
  const { host, literal, url } = checkedTarget(doors.targets, request.base.href);
  const secure = url.protocol === "https:";
  const outgoing = (secure ? doors.https : doors.http).request({
    agent: secure ? doors.agents.https : doors.agents.http,
    method: request.method,
    host,
    port: Number(url.port || (secure ? 443 : 80)),
    path: request.target,
    headers: request.headers,
    lookup: doors.lookup,
    maxHeaderSize: ANSWER_HEAD_BYTES,
    ...(secure && !literal ? { servername: host } : {}),
  });
  return { body: outgoing, answer: answered(doors.clock, outgoing, request), cancel: () => outgoing.destroy() };
}

function answered(clock: Clock, outgoing: ClientRequest, { base, connectMs }: RelayRequest): Promise<RelayAnswer> {
  const answer = new Promise<RelayAnswer>((resolve, reject) => {
    let answered = false;
    const failed = (error: unknown) => {
      disarm();
      reject(netError(error, base)); // after the answer began it changes nothing: whoever reads the body is told there
    };
    const disarm = clock.after(connectMs, () =>
      outgoing.destroy(new NetError("timeout", `${base.host} did not take the connection for ${waitText(connectMs)}`)),
    );
    outgoing.on("error", failed);
    outgoing.once("close", () => {
      if (!answered) failed(new NetError("reset", `${base.host} closed the connection before it answered`));
    });
    outgoing.once("socket", (socket) => watchConnect(outgoing, socket, base, disarm));
    outgoing.once("response", (incoming) => {
      answered = true;
      incoming.on("error", () => undefined); // readers of the body listen for themselves; one that comes too late must not bring the process down
      const { statusCode: status = 0, statusMessage: statusText = "", rawHeaders: headers } = incoming;
      resolve({ status, statusText, headers, body: incoming });
    });
    // An answer that changes the protocol brings neither a response nor an error.
    outgoing.once("upgrade", (_answer, socket) => {
      socket.destroy();
      failed(new NetError("protocol", `${base.host} wants another protocol`));
    });
  });
  answer.catch(() => undefined); // who has cancelled need not wait for it
  return answer;
}

function watchConnect(outgoing: ClientRequest, socket: Socket, base: URL, disarm: () => void): void {
  if (!socket.connecting) {
    disarm(); // a connection that was used before, and looked at then
    return;
  }
  socket.once("connect", () => {
    const address = socket.remoteAddress;
    const why = address === undefined ? undefined : addressRefusal(address, base.hostname, true, RULE);
    if (why !== undefined) outgoing.destroy(new NetError("blocked", why));
  });
  socket.once(base.protocol === "https:" ? "secureConnect" : "connect", disarm);
}
