import { Readable } from "node:stream";
import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { LIMITS } from "../../base/limits.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import { defineEndpoint } from "../../http/endpoint.js";
import type { DashboardParts } from "../core/parts.js";
import type { Sink } from "../events/board-feed.js";
import { KANBAN_BASE } from "../kanban/request/base.js";

/** The live stream of a board as server-sent events. */
export const BOARD_STREAM_ENDPOINT = defineEndpoint({
  method: "GET",
  path: `${KANBAN_BASE}/events/stream`,
  summary: "Stream events of a board as server-sent events; frames as on the WebSocket.",
  tag: "events",
  query: z.object({
    since: z.string().optional().describe("Id of the last known event, or latest."),
    board: z.string().optional().describe("Slug of a board (default: the current one)."),
  }),
  ticket: true,
  answer: "events",
  errors: [404, 429],
  run: async ({ query, header, signal, raw }, { live, clock, access }: DashboardParts) => {
    const { since, ...rest } = query;
    const wanted = await live.streams.wanted({ ...rest, since: header("last-event-id") ?? since });
    const leave = live.places.take();
    if (leave === undefined)
      throw new AppError("E_BUSY", `too many clients (limit ${live.places.max})`, { bound: live.places.max });
    const { stream, sink } = eventStream(clock, signal);
    const release = live.hold(access, () => stream.destroy());
    const forget = access.logins.sessionOf(raw)?.onEnd(() => stream.destroy());
    stream.once("close", () => {
      leave();
      release();
      forget?.();
    });
    live.streams.watch(wanted, sink);
    return { stream, headers: { "content-type": "text/event-stream; charset=utf-8", "x-accel-buffering": "no" } };
  },
});

/** What stands between owner and browser closes connections on which nothing moves. */
const COMMENT_EVERY: Ms = 25_000;
const ROOM_BYTES = 64 << 10;

/** A stream that a watcher reads, and the sink that fills it. The stream ends with the signal. */
function eventStream(clock: Clock, gone: AbortSignal): { stream: Readable; sink: Sink } {
  const over = new AbortController();
  const waiting = new Set<() => void>();
  let hungry = false;
  const wake = () => {
    if (!hungry && !over.signal.aborted) return;
    for (const resolve of waiting) resolve();
    waiting.clear();
  };
  const read = () => {
    hungry = true; // it asks once, before what it has is taken, and again when it was given something
    wake();
  };
  const stream = new Readable({ read, highWaterMark: ROOM_BYTES });
  const put = (bytes: Buffer) => {
    if (over.signal.aborted) return;
    if (stream.readableLength + bytes.length > LIMITS.webUnsentBytes + ROOM_BYTES) stream.destroy();
    else hungry = stream.push(bytes);
  };
  let cancel: () => void = () => undefined;
  const comment = () => {
    put(Buffer.from(": still here\n\n"));
    cancel = clock.after(COMMENT_EVERY, comment);
  };
  cancel = clock.after(COMMENT_EVERY, comment);
  const end = () => stream.destroy();
  gone.addEventListener("abort", end, { once: true });
  stream.once("close", () => {
    cancel();
    over.abort();
    wake();
  });
  const sink: Sink = {
    frame: (frame) => put(frame.streamBytes()),
    unsent: () => stream.readableLength,
    room: () =>
      new Promise((resolve) => {
        waiting.add(resolve);
        wake();
      }),
    close: (why) => (why === "over" ? stream.push(null) : stream.destroy()),
    signal: over.signal,
  };
  if (gone.aborted) end();
  return { stream, sink };
}
