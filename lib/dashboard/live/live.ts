import type { Config } from "../../contracts/config/config.js";
import { createPlaces } from "../../http/places.js";
import { createSockets, type SocketRoute } from "../../http/sockets.js";
import type { DashboardAccess } from "../access/access.js";
import { DASHBOARD_CLIENTS } from "../access/keys.js";
import type { FeedParts } from "../events/board-feed.js";
import { boardSocket } from "../events/board-socket.js";
import { createBoardStreams } from "../events/board-streams.js";
import type { LiveEvents } from "../events/events-api.js";
import type { LivePort } from "../events/ports.js";
import { KANBAN_BASE } from "../kanban/request/base.js";
import { eventsSocket } from "./rpc/events-socket.js";
import { type RpcParts, rpcSocket } from "./rpc/rpc-socket.js";

/** What live services are made of. */
export interface LiveParts extends FeedParts, RpcParts {
  readonly port: LivePort;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly config: Pick<Config, "get">;
}

/** Nothing is followed yet. */
export function createLive(parts: LiveParts): LiveEvents {
  const { clock, log, env, config } = parts;
  const streams = createBoardStreams(parts, env);
  const places = createPlaces(() => config.get(DASHBOARD_CLIENTS));
  const routes: readonly SocketRoute[] = [
    boardSocket(`${KANBAN_BASE}/events`, streams, clock),
    rpcSocket("/api/ws", parts),
    eventsSocket("/api/events", parts),
  ];
  const held = new Map<DashboardAccess, Set<() => void>>();
  const hold = (access: DashboardAccess, end: () => void) => {
    const ends = held.get(access) ?? new Set();
    held.set(access, ends.add(end));
    return () => {
      ends.delete(end);
    };
  };
  return {
    streams,
    places,
    hold,
    sockets: (access) => {
      const sockets = createSockets({ routes, places, clock, log });
      return {
        take: (upgrade) => sockets.take(upgrade, (ticket) => access.redeemSocket(ticket)),
        close: async () => {
          for (const end of [...(held.get(access) ?? [])]) end();
          held.delete(access);
          await sockets.stop();
        },
      };
    },
  };
}
