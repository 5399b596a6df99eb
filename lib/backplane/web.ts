import type { Socket } from "node:net";
import type { Carrier, Connection } from "./connection.js";
import type { Attached, BackplaneDeps } from "./server.js";

/** HTTP and WebSocket of the backplane. */
export interface WebSide {
  /** Serve HTTP on a connection of the local socket. */
  serve(socket: Socket): void;
  /** Open the loopback listener. */
  listen(): Promise<void>;
  readonly url: string | undefined;
  stop(): Promise<void>;
}

/** What the HTTP side needs of the backplane. */
export type WebDeps = BackplaneDeps & { attach(transport: Connection["transport"], carrier: Carrier): Attached };

/** Create the HTTP side; nothing listens yet. */
export function createWebSide(_deps: WebDeps): WebSide {
  return { serve: (socket) => socket.destroy(), listen: async () => undefined, url: undefined, stop: async () => undefined };
}
