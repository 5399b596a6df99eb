import type { LookupFunction } from "node:net";
import { PassThrough } from "node:stream";
import { NetError } from "../../base/net/net.js";
import type { Relay, RelayAnswer, RelayCall, RelayRequest } from "../../base/net/relay.js";
import type { Clock } from "../../base/time/clock.js";
import { addressRefusal, checkUrl, type UrlCheck } from "./address.js";
import { netError, waitText } from "./exchange.js";
import { netModules } from "./modules.js";
import type { AnswerHead, GuardedAgent } from "./undici-agent.js";

/** How long a connection is kept for the next request: shorter than what servers commonly allow. */
const IDLE_MS = 10_000;

/** Bytes of the head of an answer. Servers of models send long ones. */
const ANSWER_HEAD_BYTES = 64 << 10;

/** The endpoint was chosen by the user, so that private addresses are allowed; those of clouds' metadata never are. */
const RULE = { purpose: "model", allowPrivate: true, fakeRanges: [] } as const;

interface Doors {
  readonly guarded: GuardedAgent<Target>;
  readonly dispatch: typeof import("./undici-agent.js").dispatch;
  readonly clock: Clock;
  readonly targets: Map<string, Target>;
}

/**
 * A relay on the real network, carried by undici: its processes stay. Addresses are checked where they are resolved, and again on the socket that was
 * connected.
 *
 * @param resolve addresses of a name; default: the system's resolver
 */
export async function createRelay(clock: Clock, resolve?: Resolve): Promise<Relay> {
  const [{ dispatch, guardedAgent }, { encryptFor, plainSocket }, dns] = await Promise.all([
    import("./undici-agent.js"),
    import("./undici-connect.js"),
    netModules.dns(),
  ]);
  const lookup = guardedLookup(resolve ?? ((host) => dns.lookup(host, { all: true })));
  const encrypt = await encryptFor(undefined);
  const guarded = guardedAgent<Target>({
    idleMs: IDLE_MS,
    headBytes: ANSWER_HEAD_BYTES,
    connect: async ({ url, host, literal }, opening) => {
      const secure = url.protocol === "https:";
      const plain = await plainSocket({ host, port: Number(url.port || (secure ? 443 : 80)), lookup }, opening);
      const address = plain.remoteAddress;
      const why = address === undefined ? undefined : addressRefusal(address, host, true, RULE);
      if (why !== undefined) {
        plain.destroy();
        throw new NetError("blocked", why);
      }
      return secure ? encrypt(plain, { url, host, name: literal ? undefined : host }, opening) : plain;
    },
  });
  const doors: Doors = { guarded, dispatch, clock, targets: new Map() };
  return {
    send: (request) => send(doors, request),
    close: () => {
      guarded.agent.destroy().catch(() => undefined); // every connection is dropped already
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
  const target = checkedTarget(doors.targets, request.base.href);
  const { base, method, connectMs } = request;
  const { headers, length } = framing(request);
  // Of a stream of bytes that has ended undici takes the length; pieces stay chunks.
  const body =
    length === "chunked" ? new PassThrough({ readableObjectMode: true, readableHighWaterMark: 1 }) : new PassThrough();
  if (length === 0) body.resume();
  body.on("error", () => undefined); // told by the answer
  const ending: { over?: true; stop?: (cause: Error) => void } = {};
  let end: (cause: NetError) => void = () => undefined;
  const answer = new Promise<RelayAnswer>((resolve, reject) => {
    const failed = (error: unknown) => {
      disarm();
      reject(netError(error, base)); // after the answer began it changes nothing: the reader of the body gets the error
    };
    end = (cause) => {
      ending.over = true;
      failed(cause);
      if (ending.stop === undefined) body.destroy();
      else ending.stop(cause);
    };
    const disarm = doors.clock.after(connectMs, () =>
      end(new NetError("timeout", `${base.host} did not take the connection for ${waitText(connectMs)}`)),
    );
    const begin = () => {
      if (ending.over) return;
      const sent = { url: target.url, path: request.target, method, headers, body: length === 0 ? null : body };
      const began = ({ rawHeaders: headers, ...rest }: AnswerHead) => resolve({ ...rest, headers });
      ending.stop = doors.dispatch(doors.guarded, target, sent, { connected: disarm, began, failed });
    };
    doors.guarded.settled.then(begin).catch(failed);
  });
  answer.catch(() => undefined); // who has cancelled need not wait for it
  return { body, answer, cancel: () => end(new NetError("aborted", "the request was stopped")) };
}

/** The client frames the body itself, by its length where that is given. A request without either does not have one. */
function framing({ headers: given }: RelayRequest): {
  readonly headers: string[];
  readonly length: number | "chunked";
} {
  const headers: string[] = [];
  let length: number | "chunked" = 0;
  for (let at = 0; at + 1 < given.length; at += 2) {
    const [name = "", value = ""] = given.slice(at, at + 2);
    const lower = name.toLowerCase();
    if (lower === "content-length") length = Number(value);
    if (lower === "transfer-encoding") length = "chunked";
    else headers.push(name, value);
  }
  return { headers, length };
}
