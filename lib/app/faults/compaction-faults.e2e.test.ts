import assert from "node:assert/strict";
import { test } from "node:test";
import { type World, world } from "../../../fixtures/e2e/world.js";
import type { Script } from "../../../fixtures/servers/model/script.js";

const SCRIPT: Script = { replies: [{ text: "noted" }], auxiliary: [{ text: "## Goal\nTo say things." }] };
const QUESTIONS = ["one", "two", "three", "four"];

interface Listed {
  readonly id: string;
  readonly lineage_root: string;
}

interface Shown {
  readonly session: { readonly end_reason: string | null };
  readonly messages: readonly { readonly role: string; readonly content: string; readonly kind?: string }[];
}

/** A compaction that is killed at each of its moments, one after the other in the same conversation. */
const POINTS = [
  { point: "compaction.started", compacted: false },
  { point: "compaction.summarised", compacted: false },
  { point: "compaction.committed", compacted: true },
] as const;

test("an owner killed in the middle of a compaction leaves the old conversation whole, or the new one", async (t) => {
  const made = await world(t, { model: { script: SCRIPT }, name: "any", faults: true });
  const first = await made.owner();
  await made.run(["-z", "one"]);
  const root = (await newest(made)).id;
  for (const text of QUESTIONS.slice(1)) await made.run(["-z", text, "--resume", root]);
  await made.run(["owner", "stop"]);
  await first.ended;
  for (const { point, compacted } of POINTS) {
    const doomed = await made.owner({ AGENT_FAULT: `${point}:1` });
    const run = await made.run(["--resume", root, "-z", "/compress"]);
    assert.equal((await doomed.ended).code, 128);
    assert.equal(run.code, 1);
    const next = await made.owner();
    const old = await made.json<Shown>("sessions", "show", root);
    assert.equal(old.session.end_reason, compacted ? "compaction" : null);
    const users = old.messages.filter(({ role }) => role === "user").map(({ content }) => content);
    assert.deepEqual(users.slice(0, QUESTIONS.length), QUESTIONS);
    const { id } = await newest(made);
    assert.equal(id !== root, compacted);
    const again = await made.run(["--resume", root, "-z", `after ${point}`]);
    assert.deepEqual([again.code, again.out], [0, "noted\n"]);
    const summaries = (await made.json<Shown>("sessions", "show", id)).messages.filter(
      ({ kind }) => kind === "summary",
    );
    assert.equal(summaries.length, compacted ? 1 : 0);
    await made.run(["owner", "stop"]);
    await next.ended;
  }
});

async function newest(made: World): Promise<Listed> {
  const [session, ...more] = await made.json<Listed[]>("sessions", "list");
  assert.ok(session);
  assert.equal(more.length, 0); // one row a lineage
  return session;
}
