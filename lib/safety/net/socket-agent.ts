import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { Socket } from "node:net";

/** An agent for the one connection of a client library that says nothing when its connection ends. */
export interface SocketAgent {
  readonly agent: HttpAgent;
  /** Called once for each connection that ended, however. */
  onClose(listener: () => void): void;
  /** End every connection now. Harmless twice. */
  destroy(): void;
}

type Connect = (options: object, done?: (error: Error | null, socket: Socket) => void) => Socket | undefined;

/** `secure`: for addresses that begin with `wss:`. */
export function socketAgent(secure: boolean): SocketAgent {
  const agent = secure ? new HttpsAgent({ keepAlive: false }) : new HttpAgent({ keepAlive: false });
  const sockets = new Set<Socket>();
  const listeners = new Set<() => void>();
  const connect = (Reflect.get(agent, "createConnection") as Connect).bind(agent); // both agents make their connections by it
  const made: Connect = (options, done) => {
    const socket = connect(options, done);
    if (socket === undefined) return socket;
    sockets.add(socket);
    socket.once("close", () => {
      sockets.delete(socket);
      for (const listener of listeners) listener();
    });
    return socket;
  };
  Reflect.set(agent, "createConnection", made);
  return {
    agent,
    onClose: (listener) => void listeners.add(listener),
    destroy: () => {
      for (const socket of sockets) socket.destroy();
      agent.destroy();
    },
  };
}
