import assert from "node:assert/strict";
import { test } from "node:test";
import { kanbanWorld } from "../../../fixtures/e2e/kanban.js";
import { proves } from "../../../fixtures/requirements.js";
import type { Reply } from "../../../fixtures/servers/model/script.js";
import { startModelServer } from "../../../fixtures/servers/model/server.js";

/** How a model misbehaves on the wire, and the reason that is told. */
const TROUBLES: readonly { readonly name: string; readonly reply: Reply | undefined; readonly reason: string }[] = [
  {
    name: "refuses the key",
    reply: { status: 401, body: { error: { message: "bad key" } } },
    reason: "LLM error: auth",
  },
  {
    name: "is asked too often",
    reply: { status: 429, headers: { "retry-after": "0" }, body: { error: { message: "slow down" } } },
    reason: "LLM error: rate_limit",
  },
  {
    name: "does not know its name",
    reply: { status: 404, body: { error: { message: "model not found" } } },
    reason: "LLM error: model_not_found",
  },
  { name: "says nothing", reply: { text: "" }, reason: "" },
  { name: "is silent", reply: { hold: "never" }, reason: "LLM error: timeout" },
  {
    name: "stops in the middle and keeps the line",
    reply: { text: "x".repeat(5_000), silence_after: 2_000 },
    reason: "LLM error: timeout",
  },
  { name: "never ends", reply: { endless: true, text: "again ".repeat(4_000) }, reason: "LLM error: endless_answer" },
  { name: "hangs up each time", reply: { text: "x".repeat(5_000), reset_after: 2_000 }, reason: "LLM error: timeout" },
  { name: "is not there", reply: undefined, reason: "LLM error: timeout" },
];

for (const { name, reply, reason } of TROUBLES) {
  test(`a model that ${name} is a reason, and the task stays in triage`, async (t) => {
    proves(t, "board.specify.never-raises");
    const server = await startModelServer({ auxiliary: false, script: { replies: [reply ?? {}] } });
    t.after(() => server.close());
    if (reply === undefined) await server.close();
    // Anyone who waits for a silence waits it out; whoever waits for an answer has the time for it on a busy machine.
    const seconds = reason.endsWith("timeout") ? 2 : 60;
    const slot = `{ provider: custom, base_url: ${server.url}, model: m, timeout: ${seconds} }`;
    const config = `agent:\n  api_max_retries: 1\nauxiliary:\n  triage_specifier: ${slot}\n  kanban_decomposer: ${slot}\n`;
    const { K, make, show } = await kanbanWorld(t, { config });
    const id = await make("idea", "--triage");
    for (const verb of ["specify", "decompose"]) {
      const { code, out, err } = await K(verb, id, "--json");
      assert.equal(code, 1, err);
      assert.match(
        JSON.parse(out).reason,
        reason === "" ? /^LLM (returned an empty response|error: empty_stream)$/ : new RegExp(`^${reason}$`),
      );
    }
    const { task, comments, events } = await show(id);
    assert.deepEqual([task.status, comments.length, events.length], ["triage", 0, 1]);
  });
}
