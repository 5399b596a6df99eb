import type { Places } from "../../http/places.js";
import type { Upgrade } from "../../http/upgrade.js";
import type { DashboardAccess } from "../access/access.js";
import type { BoardStreams } from "./board-streams.js";

/** What speaks WebSocket on a dashboard. Every one of them takes a ticket. */
export interface DashboardSockets {
  /** Takes an upgrade that is past the guard; false: no WebSocket is at this path. */
  take(upgrade: Upgrade): boolean;
  /** End all of them, and every stream of this listener. */
  close(): Promise<void>;
}

/** Everything that a dashboard tells by itself. One of an owner, whatever it listens on. */
export interface LiveEvents {
  readonly streams: BoardStreams;
  /** Taken by each WebSocket and each event stream. */
  readonly places: Places;
  /** Have `end` called when the listener closes to which this access belongs; the result lets go. */
  hold(access: DashboardAccess, end: () => void): () => void;
  /** The WebSockets of a new listener. */
  sockets(access: DashboardAccess): DashboardSockets;
}
