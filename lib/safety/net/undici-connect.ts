import type { LookupFunction, Socket } from "node:net";
import type { buildConnector } from "undici";
import connectTo from "undici/lib/core/connect.js";
import { NetError, type NetTrust } from "../../base/net/net.js";
import { certificatesFor } from "./http-client.js";
import { netModules } from "./modules.js";
import { waitForSocketEvent } from "./tunnel.js";

const stopped = () => new NetError("aborted", "the request was stopped");

/** Where a connection is made to. */
export interface Dialled {
  readonly host: string;
  readonly port: number;
  readonly lookup: LookupFunction;
}

/** A connection that nothing was sent on. */
export async function plainSocket({ host, port, lookup }: Dialled, opening: AbortSignal): Promise<Socket> {
  const { connect } = await netModules.net();
  if (opening.aborted) throw stopped();
  const socket = connect({ host, port, lookup, noDelay: true, keepAlive: true });
  const stop = () => socket.destroy(stopped());
  opening.addEventListener("abort", stop, { once: true });
  try {
    await waitForSocketEvent(socket, "connect", socket);
    return socket;
  } finally {
    opening.removeEventListener("abort", stop);
  }
}

/** The inside of an encrypted connection. */
export interface Encrypted {
  readonly url: URL;
  /** Host without brackets and trailing dot. */
  readonly host: string;
  /** Name that the certificate must have, where the host is one. */
  readonly name: string | undefined;
}

/** Encrypts connections; sessions are kept for the next one to the same host. */
export type Encrypt = (plain: Socket, to: Encrypted, opening: AbortSignal) => Promise<Socket>;

/** What encrypts connections of one trust. */
export async function encryptFor(trust: NetTrust | undefined): Promise<Encrypt> {
  const connect = connectTo({ ...(await certificatesFor(trust)), timeout: 0 });
  return (plain, to, opening) => encrypted(connect, plain, to, opening);
}

function encrypted(
  connect: buildConnector.connector,
  plain: Socket,
  { url, host, name }: Encrypted,
  opening: AbortSignal,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const stop = () => plain.destroy(stopped());
    const cut = () => reject(new NetError("reset", `${url.host}: the connection closed before it was encrypted`));
    opening.addEventListener("abort", stop, { once: true });
    plain.on("error", reject); // also later: an unhandled one would end the process
    plain.once("close", cut);
    const to = { protocol: url.protocol, hostname: host, host, port: url.port, httpSocket: plain };
    connect({ ...to, ...(name === undefined ? {} : { servername: name }) }, (error, socket) => {
      opening.removeEventListener("abort", stop);
      plain.off("close", cut);
      if (error === null) {
        resolve(socket);
        return;
      }
      plain.destroy();
      reject(error);
    });
  });
}
