import { LIMITS } from "../../base/limits.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import type { SocketRoute } from "../../http/sockets.js";
import { CLOSE_CODES, type ServedSocket, type SocketEnd } from "../../http/web-socket.js";
import type { Sink } from "./board-feed.js";
import type { BoardStreams } from "./board-streams.js";

/** Bytes of the largest message of a watcher (board part, 15). */
const MESSAGE_MAX = 4096;

/** The live stream of a board as a WebSocket. */
export const boardSocket = (path: string, streams: BoardStreams, clock: Clock): SocketRoute => ({
  path,
  maxMessage: MESSAGE_MAX,
  open: async (query) => {
    const wanted = await streams.wanted({
      since: query.get("since") ?? undefined,
      board: query.get("board") ?? undefined,
    });
    return (socket) => {
      streams.watch(wanted, sinkOf(socket));
      return quietEnd(socket, clock);
    };
  },
});

const WHY = { slow: CLOSE_CODES.tryLater, over: CLOSE_CODES.goingAway, broken: CLOSE_CODES.broken } as const;

const sinkOf = (socket: ServedSocket): Sink => ({
  frame: (frame) => socket.sendFrame(frame.socketBytes()),
  unsent: socket.unsent,
  room: socket.room,
  close: (why) => socket.close(WHY[why], why),
  signal: socket.signal,
});

const WINDOW: Ms = 10_000;

/** A client that has nothing to say may say a little: what it sends is passed over, and too much of it ends it. */
export function quietEnd(socket: ServedSocket, clock: Clock): SocketEnd {
  let since = clock.mono();
  let count = 0;
  return {
    message: () => {
      if (clock.mono() - since > WINDOW) {
        since = clock.mono();
        count = 0;
      }
      count += 1;
      if (count > LIMITS.webIdleMessages) socket.close(CLOSE_CODES.policy, "this stream is read-only");
    },
  };
}
