import type { StoredEvent } from "../../../storage/store.js";
import { fromStored } from "../../board/queries/read.js";
import type { BoardEvent } from "../../contracts/board/board.js";
import { textFrame } from "../../http/web-socket.js";

/** Events of one frame (board part, 15). */
export const FRAME_EVENTS = 200;
/** Text of one frame, in UTF-16 units; one event may be longer. */
const FRAME_CHARS = 128 << 10;
/** An event that is longer keeps its place and loses its data: a browser reads the task instead. */
const EVENT_CHARS = 256 << 10;

/** One event, written once for everybody. */
export interface WrittenEvent {
  readonly id: number;
  readonly text: string;
}

/** A message for watchers of a board. Its bytes are made once for each way of sending it. */
export interface BoardFrame {
  /** Where a watcher stands that has it. */
  readonly cursor: number;
  readonly text: string;
  /** For a WebSocket. */
  socketBytes(): Buffer;
  /** For a stream of server-sent events. */
  streamBytes(): Buffer;
}

/** An event of a store as watchers get it. */
export const written = (event: StoredEvent): WrittenEvent => writtenEvent(fromStored(event));

/** The same for an event that was read by its board. */
export function writtenEvent(event: BoardEvent): WrittenEvent {
  const text = JSON.stringify(event);
  return {
    id: event.id,
    text: text.length <= EVENT_CHARS ? text : JSON.stringify({ ...event, payload: { truncated: true } }),
  };
}

/** Events in frames. */
export function framesOf(events: readonly WrittenEvent[]): readonly BoardFrame[] {
  const frames: BoardFrame[] = [];
  let from = 0;
  let chars = 0;
  for (const [at, { text }] of events.entries()) {
    if (at > from && (at - from >= FRAME_EVENTS || chars + text.length > FRAME_CHARS)) {
      frames.push(eventsFrame(events.slice(from, at)));
      from = at;
      chars = 0;
    }
    chars += text.length;
  }
  if (from < events.length) frames.push(eventsFrame(events.slice(from)));
  return frames;
}

function eventsFrame(events: readonly WrittenEvent[]): BoardFrame {
  const cursor = events.at(-1)?.id ?? 0;
  return frame(`{"events":[${events.map(({ text }) => text).join(",")}],"cursor":${cursor}}`, cursor);
}

/** The first frame of a watcher. `oldest`: the oldest event that is kept. */
export const helloFrame = (board: string, cursor: number, oldest: number): BoardFrame =>
  frame(JSON.stringify({ type: "hello", cursor, oldest, board }), cursor);

/** Events are missing: the board has to be loaded again. */
export const resetFrame = (cursor: number): BoardFrame => frame(JSON.stringify({ type: "reset", cursor }), cursor);

function frame(text: string, cursor: number): BoardFrame {
  let socket: Buffer | undefined;
  let stream: Buffer | undefined;
  return {
    cursor,
    text,
    socketBytes: () => {
      socket ??= textFrame(text);
      return socket;
    },
    streamBytes: () => {
      stream ??= Buffer.from(`id: ${cursor}\ndata: ${text}\n\n`);
      return stream;
    },
  };
}
