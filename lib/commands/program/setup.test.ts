import assert from "node:assert/strict";
import { test } from "node:test";
import { runLine } from "../../../fixtures/sim/run-line.js";
import type { GatewaySetupOptions, SetupOutcome } from "../../contracts/config/setup.js";

async function setup(argv: readonly string[], outcome: SetupOutcome["outcome"]) {
  const asked: GatewaySetupOptions[] = [];
  const run = async (options: GatewaySetupOptions): Promise<SetupOutcome> => {
    asked.push(options);
    return { outcome, lines: ["a line", "another"] };
  };
  return { ...(await runLine(["setup", ...argv], { setup: { run } })), asked };
}

test("setup ends with 0, with 1 where what it found cannot be used, and with 2 where it could only say what to do", async () => {
  const done = await setup(["model", "--quick"], "ok");
  assert.deepEqual([done.out, done.code], ["a line\nanother\n", 0]);
  assert.deepEqual(done.asked, [
    { section: "model", nonInteractive: false, reset: false, reconfigure: false, quick: true },
  ]);
  assert.equal((await setup(["--non-interactive"], "ok")).code, 0);
  assert.equal((await setup(["--non-interactive"], "failed")).code, 1);
  const guidance = await setup(["--json"], "guidance");
  assert.equal(guidance.code, 2);
  assert.deepEqual(JSON.parse(guidance.out), { ok: false, lines: ["a line", "another"] });
});

test("a part that there is not ends with 2 and the list of those there are", async () => {
  const wrong = await setup(["kitchen"], "ok");
  assert.equal(wrong.code, 2);
  assert.match(wrong.err, /unknown setup section 'kitchen'\n.*model, tts, terminal, gateway, tools, agent/);
  assert.deepEqual(wrong.asked, []);
});
