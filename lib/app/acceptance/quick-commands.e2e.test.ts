import assert from "node:assert/strict";
import { test } from "node:test";
import { world } from "../../../fixtures/e2e/world.js";

const QUICK = `quick_commands:
  hi: {type: exec, command: "echo hello from $PWD"}
  bad: {type: exec, command: "echo partly; exit 3"}
  tell: {type: exec, command: "echo 42 degrees", send: true}
  v: {type: alias, target: version}
  loop: {type: alias, target: loop}
  broken: {type: exec}
`;

test("quick commands run in a one-shot: exec, alias, and with send the model answers to their output", async (t) => {
  const made = await world(t, {
    model: { script: { pick: "history", replies: [{ text: "warm" }] } },
    name: "m",
    config: QUICK,
  });
  const hi = await made.run(["-z", "/hi"]);
  assert.deepEqual([hi.code, hi.out, hi.err], [0, `hello from ${made.work}\n`, ""]);
  const bad = await made.run(["-z", "/bad"]);
  assert.deepEqual([bad.code, bad.out], [1, "partly\n⚠️ exit code 3\n"]);
  assert.match((await made.run(["-z", "/v"])).out, /^agent \d/);
  const tell = await made.run(["-z", "/tell"]);
  assert.deepEqual([tell.code, tell.out], [0, "warm\n"]);
  const sent = made.model.chats().at(-1);
  assert.match(JSON.stringify(sent), /Output of \/tell \(echo 42 degrees\):\\n\\n42 degrees/);
});

test("a quick command that is no command says what is wrong with it, and built-in names stay", async (t) => {
  const made = await world(t, { name: "m", config: `${QUICK}  status: {type: exec, command: "echo mine"}\n` });
  for (const [line, says] of [
    ["/loop", /\/loop is an alias for \/loop, which is itself an alias/],
    ["/broken", /quick_commands\.broken must be \{type: exec, command\}/],
  ] as const) {
    const { code, out, err } = await made.run(["-z", line]);
    assert.deepEqual([code, out], [2, ""], line);
    assert.match(err, says);
  }
  assert.doesNotMatch((await made.run(["-z", "/status"])).out, /mine/);
});

test("/config shows all settings, one, and changes one", async (t) => {
  const made = await world(t, { name: "m" });
  assert.match((await made.run(["-z", "/config"])).out, /agent\.max_turns/);
  assert.equal((await made.run(["-z", "/config agent.max_turns"])).out, "90\n");
  assert.equal((await made.run(["-z", "/config agent.max_turns 7"])).out, "agent.max_turns = 7\n");
  assert.equal((await made.run(["config", "get", "agent.max_turns"])).out, "7\n");
  assert.equal((await made.run(["-z", "/config nope"])).code, 1);
});
