import assert from "node:assert/strict";
import { test } from "node:test";
import { world } from "../../../fixtures/e2e/world.js";

test("C81: wrong usage of a one-shot exits 2 before anything is asked, and Ctrl+C exits 130", async (t) => {
  const made = await world(t, { model: { script: { replies: [{ text: "never", hold: "never" }] } }, name: "script-1" });
  const wrong: [args: string[], says: RegExp][] = [
    [["-z"], /oneshot|-z/],
    [["-z", "x", "--provider", "custom"], /--provider needs --model/],
    [["-z", "x", "-t", "nope,none"], /no such toolset: nope, none; there are .*\bfile\b/],
  ];
  for (const [args, says] of wrong) {
    const { code, err, out } = await made.run(args);
    assert.deepEqual([code, out], [2, ""], `${args.join(" ")}: ${err}`);
    assert.match(err, says);
  }
  assert.equal(made.model.requests.length, 0);
  assert.deepEqual(await made.json("sessions", "list"), [], "no session is left behind");
  const running = made.start(["-z", "x"]);
  await made.model.arrived(1);
  assert.equal((await running.end("SIGINT")).code, 130);
});

test("C81: of several toolsets an unknown one is told, and the turn runs with the others", async (t) => {
  const made = await world(t, { model: { script: { replies: [{ text: "done" }] } }, name: "script-1" });
  const { code, out, err } = await made.run(["-z", "x", "-t", "nope,file"]);
  assert.deepEqual([code, out], [0, "done\n"]);
  assert.match(err, /no such toolset: nope; there are /);
  assert.equal(made.model.chats()[0]?.body?.tools?.length, 4);
});

test("C16: a slash command answers with its data in one line, without a model", async (t) => {
  const made = await world(t, { model: {}, name: "script:echo" });
  const { code, out } = await made.run(["-z", "/status", "--json"]);
  assert.equal(code, 0);
  assert.deepEqual([out.split("\n").length, typeof JSON.parse(out)], [2, "object"]);
  assert.equal(made.model.requests.length, 0);
});
