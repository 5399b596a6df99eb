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

/** Lanes send beside each other: a kill may meet the other one between its mark and its call. How many calls it cuts off, at least and at most. */
const POINTS = [
  ["inbox.committed", 0, 0],
  ["inbox.running", 0, 0],
  ["outbox.sending", 1, 2],
  ["outbox.called", 1, 2],
  ["outbox.settled", 0, 1],
] as const;

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

for (const [point, least, most] of POINTS) {
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
      const cut = facts.cut.size;
      assert.ok(cut >= least && (cut <= most || n > 1), `${tag}: ${cut} calls were cut off`);
      assert.equal(unknown.length, tag === "msgt" ? cut : 0, `${tag}: what was cut off without a key is shown`);
      const sent = facts.delivered.length;
      assert.ok(sent <= 6 && sent >= 6 - unknown.length, `${sent} messages, ${unknown.length} unknown`);
    }
  });
}
