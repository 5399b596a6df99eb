import { toAppError } from "../../base/errors.js";
import { LIMITS } from "../../base/limits.js";
import type { Log } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import type { BoardSlug, Ms } from "../../base/units.js";
import type { BoardApi } from "../../contracts/board/api.js";
import { type BoardFrame, framesOf, type WrittenEvent, written } from "./board-frames.js";
import type { LivePort } from "./ports.js";

/** Where the frames of one watcher go. */
export interface Sink {
  frame(frame: BoardFrame): void;
  /** Bytes that wait to be taken. */
  unsent(): number;
  /** Resolves when most was taken, or the watcher is gone. */
  room(): Promise<void>;
  /** `slow`: too much waits. `over`: there is nothing to follow any more. */
  close(why: "slow" | "over" | "broken"): void;
  readonly signal: AbortSignal;
}

/** One watcher and the event that was given to it last. */
export interface Watcher {
  readonly sink: Sink;
  cursor: number;
  /** The feed has lost its place: this watcher is notified before anything else. */
  lost: boolean;
}

/** What is sent about one board at this moment, to all its watchers. */
export interface BoardFeed {
  /** Resolves when the feed stands. */
  ready(): Promise<void>;
  /** The event that was sent last. */
  readonly cursor: number;
  /** A watcher that has everything up to the cursor hears from now on; resolves when it is gone, or has to read by itself again. */
  join(watcher: Watcher): Promise<void>;
  /** It is notified of resets. The result unsubscribes it. */
  enter(watcher: Watcher): () => void;
  readonly watchers: number;
  close(): void;
}

/** What feeds are made of. */
export interface FeedParts {
  readonly port: LivePort;
  readonly board: BoardApi;
  readonly clock: Clock;
  readonly log: Log;
}

/** Events within this time of the last frame leave together: a fifth of what is promised, for a quarter of the frames at 100 events a second. */
const GATHER: Ms = 40;
/** A store that was closed and is there again, as while its files move. */
const AGAIN: Ms = 200;
/** A watcher with so little waiting is quick, whatever comes at once. */
const QUICK_BYTES = 256 << 10;

interface Own extends FeedParts {
  readonly slug: BoardSlug;
  readonly store: string;
  readonly control: AbortController;
  readonly entered: Set<Watcher>;
  readonly joined: Map<Watcher, () => void>;
  waiting: WrittenEvent[];
  cursor: number;
  toldAt: Ms;
  due: (() => void) | undefined;
}

/** Follow a board for those who watch it: its events are read once and written once, however many there are. */
export function createBoardFeed(parts: FeedParts, slug: BoardSlug): BoardFeed {
  const own: Own = {
    ...parts,
    slug,
    store: `board:${slug}`,
    control: new AbortController(),
    entered: new Set(),
    joined: new Map(),
    waiting: [],
    cursor: 0,
    toldAt: Number.NEGATIVE_INFINITY,
    due: undefined,
  };
  const ready = begin(own);
  return {
    ready: () => ready,
    get cursor() {
      return own.cursor;
    },
    get watchers() {
      return own.entered.size;
    },
    enter: (watcher) => {
      own.entered.add(watcher);
      const gone = () => leave(own, watcher);
      watcher.sink.signal.addEventListener("abort", gone, { once: true });
      return () => {
        watcher.sink.signal.removeEventListener("abort", gone);
        own.entered.delete(watcher);
        gone();
      };
    },
    join: (watcher) =>
      new Promise((resolve) => {
        own.joined.set(watcher, resolve);
        if (watcher.sink.signal.aborted) leave(own, watcher);
      }),
    close: () => {
      own.control.abort();
      own.due?.();
      for (const { sink } of own.entered) sink.close("over");
    },
  };
}

async function begin(own: Own): Promise<void> {
  own.cursor = await own.board.lastEvent(own.slug);
  follow(own).catch((error: unknown) => {
    if (own.control.signal.aborted) return;
    own.log.error("failed to follow a board", { board: own.slug, error: toAppError(error).message });
    for (const { sink } of own.entered) sink.close("broken");
  });
}

function leave({ joined }: Own, watcher: Watcher): void {
  joined.get(watcher)?.();
  joined.delete(watcher);
}

/** Until the feed is closed or the board is gone. A store that is closed meanwhile, or not there yet, is taken up when it is opened. */
async function follow(own: Own): Promise<void> {
  const { signal } = own.control;
  const opened = createOpened(own);
  try {
    while (!signal.aborted) {
      const heard = opened.next();
      if (await tellWritten(own)) await opened.pause(AGAIN);
      else await heard;
      if (signal.aborted || (await isKnown(own))) continue;
      for (const { sink } of own.entered) sink.close("over");
      return;
    }
  } finally {
    opened.close();
  }
}

/** Send what is written until the store closes. False: it was not written yet. */
async function tellWritten(own: Own): Promise<boolean> {
  try {
    await own.port.lastSeq(own.store);
    for await (const item of own.port.follow(own.store, own.waiting.at(-1)?.id ?? own.cursor, own.control.signal)) {
      if (item.kind === "events") hear(own, item.events.map(written));
      else lose(own, item.lastSeq);
    }
    return true;
  } catch (error) {
    if (toAppError(error).code === "E_NOT_FOUND") return false;
    throw error;
  }
}

async function isKnown({ board, slug }: Own): Promise<boolean> {
  try {
    await board.resolve({ flag: slug, env: {}, writes: false });
    return true;
  } catch (error) {
    if (toAppError(error).code === "E_BOARD_NOT_FOUND") return false;
    throw error;
  }
}

/** Resolves each time the store of a feed is opened, and at its end. */
function createOpened({ port, store, clock, control: { signal } }: Own) {
  let wake: () => void = () => undefined;
  const forget = port.onOpened((name) => {
    if (name === store) wake();
  });
  const stir = () => wake();
  signal.addEventListener("abort", stir);
  return {
    next: () =>
      new Promise<void>((resolve) => {
        wake = resolve;
        if (signal.aborted) resolve();
      }),
    pause: (ms: Ms) => clock.sleep(ms, signal).catch(() => undefined),
    close: () => {
      forget();
      signal.removeEventListener("abort", stir);
    },
  };
}

/** At once when it was quiet, else together with what comes meanwhile. */
function hear(own: Own, events: readonly WrittenEvent[]): void {
  own.waiting.push(...events);
  if (own.due !== undefined) return;
  const rest = own.toldAt + GATHER - own.clock.mono();
  if (rest <= 0) tell(own);
  else own.due = own.clock.after(rest, () => tell(own));
}

function tell(own: Own): void {
  const events = own.waiting;
  const before = own.cursor;
  own.due = undefined;
  own.waiting = [];
  own.toldAt = own.clock.mono();
  own.cursor = events.at(-1)?.id ?? before;
  const frames = framesOf(events);
  const bytes = frames.reduce((sum, { text }) => sum + text.length, 0);
  for (const watcher of own.joined.keys()) {
    const mine = watcher.cursor <= before ? frames : framesOf(events.filter(({ id }) => id > watcher.cursor));
    give(own, watcher, mine, bytes);
  }
}

/** Much at once is not a fault of a quick watcher: it reads at its own pace. */
function give(own: Own, watcher: Watcher, frames: readonly BoardFrame[], bytes: number): void {
  const unsent = watcher.sink.unsent();
  const atItsPace = unsent + bytes > LIMITS.webUnsentBytes && unsent < QUICK_BYTES;
  if (atItsPace) leave(own, watcher);
  for (const frame of atItsPace ? [] : frames) {
    watcher.sink.frame(frame);
    watcher.cursor = frame.cursor;
  }
}

/** The events after the cursor are not there: another store lies in the place, or they were pruned. */
function lose(own: Own, last: number): void {
  own.due?.();
  own.due = undefined;
  own.waiting = [];
  own.cursor = last;
  for (const watcher of own.entered) {
    watcher.lost = true;
    leave(own, watcher);
  }
  own.log.info("watchers of a board reload it", { board: own.slug, watchers: own.entered.size });
}
