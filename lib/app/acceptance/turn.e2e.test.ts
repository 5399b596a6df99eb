import assert from "node:assert/strict";
import { test } from "node:test";
import { start } from "../../../fixtures/e2e/process.js";
import { type World, world } from "../../../fixtures/e2e/world.js";
import type { Script } from "../../../fixtures/servers/model/script.js";

const RM: Script = {
  pick: "history",
  replies: [{ tool_calls: [{ name: "terminal", arguments: { command: "rm -rf build" } }] }, { text: "no" }],
};
const SLOW: Script = {
  pick: "history",
  replies: [{ tool_calls: [{ name: "terminal", arguments: { command: "sleep 600" } }] }, { text: "done" }],
};

/** The same words with no one there, and with an owner. */
const WAYS = [
  { way: "without an owner", prepare: async (_world: World) => undefined },
  { way: "with an owner", prepare: async (world: World) => void (await world.owner()) },
];

for (const { way, prepare } of WAYS) {
  test(`-z prints the answer and nothing else, ${way}`, async (t) => {
    const made = await world(t, { model: {} });
    await prepare(made);
    assert.deepEqual(await made.run(["-z", "hi"]), { code: 0, out: "Hello. What shall we do?\n", err: "" });
    assert.equal(
      (await made.run(["-z", "-"], { input: "over standard input" })).out,
      "You said: over standard input\n",
    );
  });

  test(`chat -q --json prints one event per line, from the start of the turn to its end, ${way}`, async (t) => {
    const made = await world(t, { model: {}, name: "script:rounds-2" });
    await prepare(made);
    const { code, out } = await made.run(["chat", "-q", "go", "--json"]);
    assert.equal(code, 0);
    const events: { type: string; role?: string; final_response?: string }[] = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const order = events
      .map(({ type, role }) => (role === undefined ? type : `${type} ${role}`))
      .filter((type) => type !== "turn.phase" && type !== "notice");
    assert.deepEqual(order.slice(0, 3), ["session.info", "turn.started", "message.added user"]);
    const tools = order.filter((type) => type === "tool.started" || type === "tool.ended");
    assert.deepEqual(tools, ["tool.started", "tool.ended", "tool.started", "tool.ended"]);
    assert.ok(order.indexOf("text.delta") > order.lastIndexOf("tool.ended"));
    assert.equal(order.at(-1), "turn.ended");
    assert.equal(events.at(-1)?.final_response, "Done after 2 rounds.");
  });

  test(`chat --json ends with one line of type error when no turn could start, ${way}`, async (t) => {
    const made = await world(t, { model: {} });
    await prepare(made);
    const { code, out } = await made.run(["chat", "-q", "go", "--json", "--resume", "20200101_000000_abcdef"]);
    const lines: { type: string; error: { code: string } }[] = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      lines.map((line) => [line.type, line.error.code]),
      [["error", "E_NOT_FOUND"]],
    );
    assert.notEqual(code, 0);
  });

  test(`a command that would need asking is denied with exit 3, and the rule is named, ${way}`, async (t) => {
    const made = await world(t, { model: { script: RM }, name: "any", config: "approvals:\n  caged: ask\n" });
    await prepare(made);
    const { code, out, err } = await made.run(["-z", "clean up"]);
    assert.deepEqual([code, out], [3, "no\n"]);
    assert.match(err, /terminal\(rm -rf build\)|rm/);
    assert.match(err, /--allow|permissions/);
  });

  test(`a failed turn ends with 1, a wrong command line with 2, ${way}`, async (t) => {
    const made = await world(t, {
      model: { script: { replies: [{ status: 401, body: { error: { message: "bad key" } } }] } },
      name: "any",
    });
    await prepare(made);
    const failed = await made.run(["-z", "hi"]);
    assert.equal(failed.code, 1);
    assert.match(failed.err, /bad key|401/);
    assert.equal((await made.run(["-z"])).code, 2);
    assert.equal((await made.run(["chat", "-q", "hi", "--nonsense"])).code, 2);
  });

  for (const { signal, code } of [
    { signal: "SIGINT", code: 130 },
    { signal: "SIGTERM", code: 143 },
    { signal: "SIGHUP", code: 129 },
  ] as const) {
    test(`${signal} during a tool call ends the turn and the tool with ${code}, ${way}`, async (t) => {
      const made = await world(t, { model: { script: SLOW }, name: "any" });
      await prepare(made);
      const before = made.processes();
      const turn = made.start(["chat", "-q", "wait", "--json"]);
      await turn.line((line) => line.includes('"tool.started"'));
      assert.equal((await turn.end(signal)).code, code);
      await made.alone(before);
      const [session] = (await made.json<{ id: string }[]>("sessions", "list")) ?? [];
      assert.ok(session);
    });
  }

  test(`a reader that goes away ends a report quietly, ${way}`, async (t) => {
    const made = await world(t);
    await prepare(made);
    for (let n = 0; n < 3; n++) await made.json("kanban", "create", `task ${n}`, "--external");
    const { code, out, err } = await sh(made, "kanban list | head -1");
    assert.deepEqual([code, err, out.trimEnd().split("\n").length], [0, "", 1]);
  });

  test(`a turn whose reader goes away is kept, and nothing is said, ${way}`, async (t) => {
    const made = await world(t, {
      model: { script: { replies: [{ hold: "reader is gone", text: "late" }] } },
      name: "any",
    });
    await prepare(made);
    const turn = made.start(["chat", "-q", "go", "--json"]);
    await turn.line((line) => line.includes('"message.added"'));
    turn.stopReading();
    made.model.release("reader is gone");
    const { code, err } = await turn.ended;
    assert.deepEqual([code, err], [141, ""]);
    const [session] = await made.json<{ id: string; message_count: number }[]>("sessions", "list");
    assert.ok(session && session.message_count > 0);
  });
}

/** The exit code is that of `agent`. */
async function sh(made: World, line: string) {
  const command = `set -o pipefail; "$NODE" "$AGENT" ${line}`;
  const env = { ...made.env, NODE: process.execPath, AGENT: made.program };
  return start("bash", ["-c", command], { env, cwd: made.work }).ended;
}

for (const { way, prepare } of WAYS) {
  test(`a resumed session keeps its prompt and title, and is told about its model once, ${way}`, async (t) => {
    const made = await world(t, { model: {} });
    await prepare(made);
    const turn = async (...args: string[]) => {
      const { out } = await made.run(["chat", "-q", "hi", "--json", ...args]);
      return out
        .trimEnd()
        .split("\n")
        .map((line): { type: string; session_id: string } => JSON.parse(line));
    };
    const first = await turn();
    const second = await turn("--resume", first[0]?.session_id ?? "");
    const told = (events: readonly { type: string }[], type: string) =>
      events.filter((event) => event.type === type).length;
    assert.deepEqual([told(first, "notice"), told(second, "notice")], [1, 0]);
    assert.equal(told(second, "session.info"), 0, "a new prompt was stored, and the title was told as gone");
    const [before, after] = made.model.chats().map(({ body }) => body?.messages[0]?.content);
    assert.equal(after, before);
  });
}
