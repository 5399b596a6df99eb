import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, type TestContext, test } from "node:test";
import { start } from "../../fixtures/e2e/process.js";
import { GATEWAY_CHECKS, type GatewayFacts } from "../../fixtures/sim/check-gateway.js";
import { bundleProgram } from "../../fixtures/worlds/program.js";

const owner = bundleProgram("fixtures/worlds/gateway-owner.ts");
after(async () => (await owner).remove());

const POINTS = ["inbox.committed", "inbox.running", "outbox.sending", "outbox.called", "outbox.settled"] as const;

async function run(dir: string, tag: string, fault: string) {
  return start(process.execPath, [(await owner).file, dir, tag], { env: { AGENT_FAULT: fault }, cwd: dir });
}

/** Everything that is known when a gateway on this directory has come to rest. */
async function rest(dir: string, tag: string): Promise<GatewayFacts> {
  const running = await run(dir, tag, "");
  const line = await running.line((one) => one.startsWith("rest "));
  await running.end("SIGKILL");
  const facts = JSON.parse(line.slice("rest ".length));
  return { ...facts, cut: new Set(facts.cut) };
}

/** A directory in which the gateway was killed at the nth passage of a point. */
async function killed(t: TestContext, tag: string, fault: string): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), "gateway-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  assert.equal((await (await run(dir, tag, fault)).ended).code, 128, "it was killed");
  return dir;
}

for (const point of POINTS) {
  test(`a kill at ${point} loses no message and answers none twice`, async (t) => {
    for (const [tag, n] of [
      ["msgt", 1],
      ["msgd", 2],
    ] as const) {
      const facts = await rest(await killed(t, tag, `${point}:${n}`), tag);
      assert.deepEqual(
        GATEWAY_CHECKS.flatMap((check) => check(facts)),
        [],
        tag,
      );
      assert.deepEqual(
        facts.inbox.map(({ state }) => state),
        ["answered", "answered", "answered"],
      );
      const unknown = facts.outbox.filter(({ state }) => state === "unknown");
      const cut = point === "outbox.sending" || point === "outbox.called";
      // Lanes send beside each other: the kill may meet a second one between its mark and its call.
      assert.equal(
        unknown.length,
        cut && tag === "msgt" ? facts.cut.size : 0,
        `${tag}: what was cut off without a key is shown`,
      );
      assert.ok(!cut || facts.cut.size >= 1);
      const sent = facts.delivered.length;
      if (cut) assert.ok(sent <= 6 && sent >= 6 - unknown.length, `${sent} messages, ${unknown.length} unknown`);
      else assert.equal(sent, 6);
    }
  });
}
