import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { chatGateway } from "../../../fixtures/sim/chat-gateway.js";
import { runLine } from "../../../fixtures/sim/run-line.js";

const NO_LIST = { MSGT_ALLOWED_USERS: "" };

test("GW-10: a stranger gets one code, and is answered once the owner has approved it", async (t) => {
  const world = await chatGateway(t, { script: [{ text: "PONG" }], env: NO_LIST });
  const { gateway } = world.owner.app;
  await world.say("1", "hello");
  const [invitation] = await world.shown(1);
  const [, line] =
    /^`agent (pairing approve msgt [ABCDEFGHJKLMNPQRSTUVWXYZ23456789]{8})`$/m.exec(invitation?.text ?? "") ?? [];
  assert.ok(line);
  await world.say("2", "hello?");
  assert.match((await runLine(["pairing", "list"], { gateway })).out, /^pending {2}msgt u-c1, /);
  assert.equal((await runLine(line.split(" "), { gateway })).code, 0);
  await world.say("3", "ping");
  assert.equal((await world.shown(2))[1]?.text, "PONG");
  assert.deepEqual(
    [await world.state("1"), await world.state("2"), await world.state("3")],
    ["refused", "refused", "answered"],
  );
  assert.equal(JSON.parse((await runLine(["pairing", "list", "--json"], { gateway })).out).paired[0].user, "u-c1");
  assert.equal((await runLine(["pairing", "revoke", "msgt", "u-c1"], { gateway })).code, 0);
  await world.say("4", "ping");
  await world.say("5", "/help", "c2");
  assert.equal((await world.shown(3))[2]?.chat, "c2", "who was taken off got nothing within ten minutes");
});

test("GW-12: who was paired before a list was set gets nothing", async (t) => {
  const world = await chatGateway(t, { script: [{ text: "PONG" }], env: NO_LIST });
  const { gateway, options } = world.owner.app;
  await world.say("1", "hello");
  const code = /approve msgt (\w{8})/.exec((await world.shown(1))[0]?.text ?? "")?.[1] ?? "";
  await runLine(["pairing", "approve", "msgt", code], { gateway });
  Object.assign(options.config.env, { MSGT_ALLOWED_USERS: "u-c2" });
  await world.say("2", "ping");
  await world.say("3", "ping", "c2");
  assert.equal((await world.shown(2))[1]?.chat, "c2");
  assert.equal(await world.state("2"), "refused");
});

test("the code of a stranger is shown to no one else, and the agent's own processes are told nothing of pairings", async (t) => {
  const world = await chatGateway(t, { script: [], env: NO_LIST });
  const { gateway } = world.owner.app;
  world.platform.fate = () => "cut-before";
  await world.say("1", "hello");
  while ((await gateway.outbox({ state: "unknown" })).length === 0) await new Promise(setImmediate);
  assert.equal((await gateway.outbox({}))[0]?.preview, "");
  for (const words of [["list"], ["approve", "msgt", "AAAAAAAA"], ["revoke", "msgt", "1"], ["clear-pending"]]) {
    const asked = await runLine(["pairing", ...words], { gateway, env: { AGENT_SESSION_ID: "x" } });
    assert.deepEqual([asked.code, asked.out], [1, ""], words[0]);
    // Its mark can be taken off a process, its ancestors cannot.
    const child = spawn("sh", ["-c", "sleep 60 & echo $!; wait"], { stdio: ["ignore", "pipe", "ignore"] });
    const [pid] = await once(child.stdout, "data");
    const unmarked = await runLine(["pairing", ...words], { gateway, env: {}, pid: Number(String(pid)) });
    process.kill(Number(String(pid)));
    await once(child, "exit");
    assert.deepEqual([unmarked.code, unmarked.out], [1, ""], words[0]);
  }
});
