import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { world } from "../../../fixtures/e2e/world.js";
import { askedOf, roundOf, type ScriptProgram } from "../../../fixtures/servers/model/script.js";
import { startMsgt } from "../../../fixtures/servers/msgt/server.js";

const TOKEN = "4242:token-of-the-test-bot";
const CALL = { name: "terminal", arguments: { command: "echo ran >> log" } };

/** One call, then a request without an answer. Whoever goes on tries the same call first. */
const script: ScriptProgram = (request) => {
  const resumed = askedOf(request).includes("cut off");
  if (roundOf(request) === 0) return { tool_calls: [CALL] };
  return resumed ? { text: "RESUMED" } : { text: "NEVER", hold: "never" };
};

test("GW-26: a gateway that is killed during a turn answers it once after the next start, and its tool ran once", async (t) => {
  const server = await startMsgt({ token: TOKEN });
  t.after(() => server.close());
  const made = await world(t, { model: { script }, name: "any", config: "terminal:\n  cwd: ../work\n" });
  const env = { MSGT_BOT_TOKEN: TOKEN, MSGT_API_BASE: server.url, MSGT_ALLOWED_USERS: "7" };
  const first = made.start(["gateway", "run"], { env });
  server.update({
    message: {
      message_id: 11,
      date: 1_760_000_000,
      text: "do it",
      chat: { id: 7, type: "private" },
      from: { id: 7, first_name: "U" },
    },
  });
  await made.model.arrived(2);
  await first.end("SIGKILL");
  const second = made.start(["gateway", "run"], { env });
  await server.until(() => server.shown.some(({ text }) => text === "RESUMED"));
  await second.end("SIGINT");
  assert.equal(server.shown.filter(({ text }) => text === "RESUMED").length, 1);
  assert.equal(readFileSync(join(made.work, "log"), "utf8"), "ran\n");
});
