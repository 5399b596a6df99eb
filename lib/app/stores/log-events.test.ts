import assert from "node:assert/strict";
import { test } from "node:test";
import { growingChat } from "../../../fixtures/sim/growing-chat.js";
import type { StoredEvent } from "../../../storage/store.js";
import type { Log, LogFacts, LogSeverity } from "../../base/log/log.js";
import type { EpochMs } from "../../base/units.js";
import { logEvents } from "./log-events.js";

/** A log whose lines are kept. */
function recordingLog() {
  const lines: string[] = [];
  const write =
    (component: string, level: LogSeverity) =>
    (message: string, facts: LogFacts = {}) =>
      void lines.push(`${level} ${component}: ${message} ${JSON.stringify(facts)}`);
  const make = (name: string): Log => ({
    debug: write(name, "debug"),
    info: write(name, "info"),
    warning: write(name, "warning"),
    error: write(name, "error"),
    child: make,
  });
  return { lines, log: make("agent") };
}

test("turns, rounds and calls of a conversation are lines of the log, without a word of what was said", async (t) => {
  const call = { tool_calls: [{ name: "search_files", arguments: { pattern: "hunter2" } }] };
  const { world, session } = await growingChat(t, {
    answer: (_request, turn) => (turn === 0 ? call : { text: "the answer" }),
  });
  const { lines, log } = recordingLog();
  logEvents(world.store, log);
  await world.say(session, "a secret question");
  const told = lines.map((line) => line.split(" {")[0]);
  assert.deepEqual(told, [
    "info turn: turn started",
    "info turn: model responded",
    "debug tools: tool call started",
    "debug tools: tool call ended",
    "info turn: model responded",
    "info turn: turn ended",
  ]);
  assert.match(lines.at(-1) ?? "", new RegExp(`"session":"${session.id}".*"api_calls":2`));
  assert.doesNotMatch(lines.join("\n"), /secret question|the answer|hunter2/);
});

test("dispatch and runs of a board are lines of the log, failures as warnings with the task and the run", () => {
  const { lines, log } = recordingLog();
  let tell: (events: readonly StoredEvent[]) => void = () => assert.fail("nothing listens");
  logEvents(
    {
      name: "board:default",
      onEvents: (listener) => {
        tell = listener;
        return () => undefined;
      },
    },
    log,
  );
  const event = (kind: string, payload: StoredEvent["payload"]): StoredEvent => ({
    kind,
    payload,
    store: "board:default",
    seq: 1,
    at: 0 as EpochMs,
    task: "t_1",
    run: 3, // any instant will do
  });
  tell([
    event("claimed", { lock: "x", from: "ready", to: "running" }),
    event("crashed", { pid: 7, exit_code: 137, failures: 1 }),
    event("commented", { len: 5 }),
  ]);
  assert.deepEqual(lines, [
    'info board: claimed {"board":"default","task":"t_1","run":3,"from":"ready","to":"running"}',
    'warning board: crashed {"board":"default","task":"t_1","run":3,"pid":7,"exit_code":137,"failures":1}',
  ]);
});
