import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { NetError, type NetRequest } from "../../base/net/net.js";
import {
  type CheckedRequest,
  HEAD_BYTES,
  type HttpClient,
  headersToSend,
  IDLE_MS,
  type Incoming,
  type Progress,
  peerRefusal,
  piecesOf,
  pinAddresses,
  placeOf,
  serverName,
  toConnectionKey,
} from "./http-client.js";
import { type NetOptions, resolveHost } from "./net-options.js";
import { openTunnel } from "./tunnel.js";
import { dispatch, type GuardedAgent, guardedAgent } from "./undici-agent.js";
import { encryptFor, plainSocket } from "./undici-connect.js";

type ClientAgent = GuardedAgent<CheckedRequest>;

/**
 * A client on undici, for processes that stay. Limits of time are the exchange's: undici measures them by a clock of its own. One agent for each
 * rule, way and trust: what let one connection be made holds for every request that may use it.
 */
export function createUndiciClient(options: NetOptions): HttpClient {
  const agents = new Map<string, Promise<ClientAgent>>();
  return {
    send: async (sent, progress) => {
      const { request, checked, trust } = sent;
      const { purpose, allowPrivate, fakeRanges } = checked.rule;
      const key = JSON.stringify([purpose, allowPrivate, fakeRanges, toConnectionKey(request.proxy, trust)]);
      const agent = agents.get(key) ?? agentFor(options, sent);
      agents.set(key, agent);
      return send(await agent, sent, progress);
    },
    retire: () => {
      for (const made of agents.values())
        made.then(
          ({ agent }) => agent.close(),
          () => undefined, // it was never made
        );
      agents.clear();
    },
  };
}

async function agentFor(options: NetOptions, { trust }: CheckedRequest): Promise<ClientAgent> {
  const encrypt = await encryptFor(trust);
  return guardedAgent({
    idleMs: IDLE_MS,
    headBytes: HEAD_BYTES,
    connect: async (wanted, opening) => {
      const plain = await reached(options, wanted, opening);
      const { checked } = wanted;
      const { url, host } = checked;
      return url.protocol === "https:" ? encrypt(plain, { url, host, name: serverName(checked) }, opening) : plain;
    },
  });
}

/** A connection whose other end was looked at before anything was sent, or a tunnel to it. */
async function reached(options: NetOptions, wanted: CheckedRequest, opening: AbortSignal): Promise<Socket> {
  const { request, checked } = wanted;
  const { address, port } = placeOf(options, wanted);
  const { proxy } = request;
  if (proxy !== undefined) {
    const resolve = (host: string) => resolveHost(options, host, undefined);
    const tunnels = { proxy, secure: checked.url.protocol === "https:", resolve };
    return openTunnel(tunnels, { host: address, port, opening });
  }
  const socket = await plainSocket({ host: address, port, lookup: pinAddresses(checked.addresses) }, opening);
  const why = peerRefusal(options, socket, checked);
  if (why === undefined) return socket;
  socket.destroy();
  throw new NetError("blocked", why);
}

/** One request and the head of its answer. */
async function send(guarded: ClientAgent, sent: CheckedRequest, progress: Progress): Promise<Incoming> {
  await guarded.settled;
  const { request, checked } = sent;
  const { url } = checked;
  const { method } = request;
  const path = `${url.pathname}${url.search}`;
  return new Promise((resolve, reject) => {
    const ending: { over?: true; stop?: (cause: Error) => void } = {};
    progress.own((cause) => {
      ending.over = true;
      reject(cause);
      ending.stop?.(cause);
    });
    if (ending.over) return;
    const body = bodyOf(request.body, progress.fail);
    ending.stop = dispatch(
      guarded,
      sent,
      { url, path, method, headers: headersToSend(sent), body },
      { connected: progress.connected, began: resolve, failed: reject },
    );
  });
}

function bodyOf(body: NetRequest["body"], broken: (error: unknown) => void): string | Uint8Array | Readable | null {
  if (body === undefined || typeof body === "string" || body instanceof Uint8Array) return body ?? null;
  const pieces = piecesOf(body, broken);
  pieces.on("error", () => undefined); // `broken` was reported
  return pieces;
}
