import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../fixtures/ports/clock.js";
import { layOutHome } from "../base/home.js";
import { silentLog } from "../base/log/log.js";
import type { ModelChoice, ModelEvent, ModelRequest } from "../contracts/models/model.js";
import { dumping } from "./request-dump.js";

const SESSION = "20260301_120000_abcdef";
const CHOICE = { model: "m", window: 1_000, provider: { id: "p", baseUrl: "http://x" } } as unknown as ModelChoice; // what a dump reads
const REQUEST = {
  requestId: `${SESSION}:1:r1`,
  model: "m",
  messages: [{ role: "user", content: "my secret" }],
  tools: [],
} as ModelRequest;
const DONE = { type: "done", content: "ok" } as unknown as ModelEvent; // passed on as it is
const failed = (cls: string) =>
  ({ type: "failed", partial: "", failure: { class: cls, message: "no", retry: false } }) as ModelEvent;

/** One request that ends with this event, of which a reader takes no more than it needs. */
async function asked(t: TestContext, last: ModelEvent, env: Record<string, string> = {}) {
  const dir = mkdtempSync(join(tmpdir(), "dump-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const ask = dumping(
    async function* () {
      yield last;
    },
    {
      home: layOutHome(dir),
      env,
      clock: manualClock(),
      log: silentLog,
      redact: (text) => text.replaceAll("secret", "[secret]"),
    },
  );
  for await (const event of ask(CHOICE, REQUEST, new AbortController().signal)) if (event.type === last.type) break;
  const sessions = join(dir, "sessions");
  return { names: () => (readdirSync(dir).includes("sessions") ? readdirSync(sessions) : []), sessions };
}

test("nothing is written of a request that was answered", async (t) => {
  assert.deepEqual((await asked(t, DONE)).names(), []);
});

test("with AGENT_DUMP_REQUESTS every request is written, redacted, for its owner's eyes alone", async (t) => {
  const { names, sessions } = await asked(t, DONE, { AGENT_DUMP_REQUESTS: "1" });
  assert.deepEqual(names(), [`request_dump_${SESSION}_1.json`]);
  const dump = JSON.parse(readFileSync(join(sessions, names()[0] ?? ""), "utf8"));
  assert.deepEqual(
    [dump.request_id, dump.request.messages[0].content, dump.error],
    [REQUEST.requestId, "my [secret]", undefined],
  );
});

test("a request that failed for good is written with its error, one that the user cut off is not", async (t) => {
  const { names, sessions } = await asked(t, failed("server_error"));
  assert.equal(JSON.parse(readFileSync(join(sessions, names()[0] ?? ""), "utf8")).error.class, "server_error");
  assert.deepEqual((await asked(t, failed("aborted"))).names(), []);
});
