/** Where the messages of one client come from; it stops reading while earlier ones wait. */
export interface IntakeSource {
  pause(): void;
  resume(): void;
}

/** The messages of one client, begun in order and a few in each turn of the event loop, so that other clients have their turn in between. */
export interface Intake {
  /** Begin now, or when the messages before it have begun. `size`: characters of the message. */
  add(size: number, begin: () => void): void;
  /** The client has gone: drop what waits, and whatever is added from now on. */
  close(): void;
}

/** Messages of one client that begin in one turn of the event loop. A full window of requests of a well-behaved client takes a few turns. */
export const MESSAGES_PER_TURN = 8;
/** Characters of them; one message always begins. A message may hold a batch of calls, so that its length says more than its number. */
export const CHARS_PER_TURN = 4 << 10;

/** An empty intake. */
export function createIntake(source: IntakeSource): Intake {
  const waiting: { readonly size: number; readonly begin: () => void }[] = [];
  let closed = false;
  let messages = 0;
  let chars = 0;
  let scheduled = false;
  const schedule = () => {
    if (scheduled) return;
    scheduled = true;
    setImmediate(nextTurn);
  };
  const hasRoom = () => messages < MESSAGES_PER_TURN && chars < CHARS_PER_TURN;
  const run = (size: number, begin: () => void) => {
    messages += 1;
    chars += size;
    schedule();
    begin();
  };
  const nextTurn = () => {
    scheduled = false;
    messages = 0;
    chars = 0;
    const had = waiting.length > 0;
    let taken = 0;
    for (const { size, begin } of waiting) {
      if (closed || !hasRoom()) break;
      taken += 1;
      run(size, begin);
    }
    waiting.splice(0, taken);
    if (had && !closed && waiting.length === 0) source.resume();
  };
  return {
    add: (size, begin) => {
      if (closed) return;
      if (waiting.length === 0 && hasRoom()) return run(size, begin);
      waiting.push({ size, begin });
      source.pause(); // each time: the reader may have resumed it
    },
    close: () => {
      closed = true;
      waiting.length = 0;
    },
  };
}
