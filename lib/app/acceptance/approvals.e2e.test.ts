import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { world } from "../../../fixtures/e2e/world.js";
import type { Script } from "../../../fixtures/servers/model/script.js";
import type { WireEvent } from "../../contracts/wire/wire.js";

const runs = (command: string): Script => ({
  replies: [{ tool_calls: [{ name: "terminal", arguments: { command } }] }, { text: "done" }],
  pick: "history",
});
const removes = runs("rm -rf q");
/** In a cage too. */
const CAGED_ASKS = "approvals:\n  caged: ask\n";

const ALLOWED: readonly (readonly [string, readonly string[]])[] = [
  ["--yolo", ["--yolo"]],
  ["--allow with the rule that the refusal named", ["--allow", "rm -rf q"]],
];

test("C28: a one-shot is denied with exit 3 and told the rule; --yolo and --allow let it run", async (t) => {
  const { run, work } = await world(t, { model: { script: removes }, name: "any", config: CAGED_ASKS });
  const q = join(work, "q");
  mkdirSync(q);
  const denied = await run(["-z", "do it"]);
  assert.deepEqual([denied.code, denied.out], [3, "done\n"]);
  assert.match(denied.err, /denied: terminal rm -rf q; allow it with: agent permissions allow 'rm -rf q'/);
  assert.ok(existsSync(q));
  for (const [name, options] of ALLOWED) {
    mkdirSync(q, { recursive: true });
    const { code, err } = await run(["-z", "do it", ...options]);
    assert.deepEqual([code, existsSync(q)], [0, false], `${name}: ${err}`);
  }
});

test("C73: a project's allow list counts once it is trusted, and a one-shot says that it is not", async (t) => {
  const { run, work } = await world(t, { model: { script: runs("npm publish --help > /dev/null") }, name: "any" });
  mkdirSync(join(work, ".agent"));
  writeFileSync(join(work, ".agent", "permissions.yaml"), "allow: [npm publish]\n");
  const denied = await run(["-z", "do it"]);
  assert.equal(denied.code, 3, denied.err);
  assert.match(denied.err, /permissions\.yaml is not trusted: its 1 allow rules do not count/);
  assert.equal((await run(["permissions", "trust"])).out, "trusted:\n  npm publish\n");
  const { code, err } = await run(["-z", "do it"]);
  assert.deepEqual([code, /denied/.test(err)], [0, false], err);
});

test("C57: two front ends show one question; what one answers closes in the other, whose answer comes too late", async (t) => {
  const { owner, client, work, event } = await world(t, {
    model: { script: removes },
    name: "any",
    config: CAGED_ASKS,
  });
  mkdirSync(join(work, "q"));
  await owner();
  const one = client();
  const other = client();
  const front = { source: "workspace", cwd: work, env: { PATH: process.env["PATH"] ?? "", HOME: work } };
  const { id } = await one.call<{ id: string }>("session.create", front, { key: "make" });
  for (const each of [one, other]) await each.call("session.attach", { session_id: id });
  await one.call("turn.submit", { session_id: id, text: "do it" }, { key: "say" });
  const asked = await event((told) => told.event === "approval.requested", "sessions");
  const request = String(asked.data["request"]);
  const [shown] = await other.call<readonly { readonly request: string }[]>("question.list", { session_id: id });
  assert.equal(shown?.request, request);
  await other.call("approval.respond", { request, answer: "deny", text: "no" }, { key: "other" });
  await assert.rejects(one.call("approval.respond", { request, answer: "once" }, { key: "one" }), {
    code: "E_ALREADY_RESOLVED",
  });
  const closed = await event((told: WireEvent) => told.event === "approval.resolved", "sessions");
  assert.deepEqual([closed.data["request"], closed.data["answer"], closed.data["text"]], [request, "deny", "no"]);
  await event((told) => told.event === "turn.ended", "sessions");
  assert.ok(existsSync(join(work, "q")));
});
