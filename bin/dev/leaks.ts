import assert from "node:assert/strict";

/** What a file of tests must not leave running: it keeps the process alive, or works on behind the next file. */
const WATCHED = new Set([
  "ProcessWrap",
  "TCPServerWrap",
  "TCPSocketWrap",
  "PipeServerWrap",
  "Worker",
  "FSEventWrap",
  "FSReqCallback",
  "StatWatcher",
  "Timeout",
]);
/** Closing takes some turns of the event loop. They are counted, not timed: a process that was stopped for a while hears of what has ended afterwards. */
const TURNS = 200;
const TURN_MS = 5;

type Counts = ReadonlyMap<string, number>;

/** Call before the tests of a file. The result, called after them, throws when more is alive than before. */
export function watchLeaks(): () => Promise<void> {
  const before = count();
  return async () => {
    let left = more(before);
    for (let turn = 0; left.length > 0 && turn < TURNS; turn++) {
      await new Promise((resolve) => setTimeout(resolve, TURN_MS));
      left = more(before);
    }
    assert.deepEqual(left, [], "the tests of this file leave something running");
  };
}

function count(): Counts {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo())
    if (WATCHED.has(kind)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

const more = (before: Counts): string[] =>
  [...count()].flatMap(([kind, now]) =>
    now > (before.get(kind) ?? 0) ? [`${kind} x ${now - (before.get(kind) ?? 0)}`] : [],
  );
