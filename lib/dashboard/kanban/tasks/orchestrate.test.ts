import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { setupRest } from "../../../../fixtures/dashboard/rest.js";
import { proves } from "../../../../fixtures/requirements.js";
import { graphAnswer, orchestrationPort, type Said, scriptedAux } from "../../../../fixtures/sim/board-aux.js";
import { DEFAULT, USER } from "../../../../fixtures/sim/board-world.js";
import type { DecomposeOutcome, SpecifyOutcome } from "../../../contracts/board/orchestration.js";

async function setup(t: Parameters<typeof setupRest>[0], ...said: readonly Said[]) {
  const aux = scriptedAux(...said);
  const rest = await setupRest(t, { deps: { orchestration: orchestrationPort(aux) } });
  const { id } = (await rest.world.board.create(DEFAULT, { title: "rough", triage: true }, USER)).task;
  return { ...rest, aux, id };
}

const BARE = { headers: { "content-type": undefined } };

test("specify takes no body and no content type, and answers with its four keys, also when it fails (acceptance 93)", async (t) => {
  proves(t, "dashboard.specify", "dashboard.synchronous");
  const { ask, id, aux } = await setup(t, "", JSON.stringify({ title: "Write it", body: "## Goal" }));
  const failed = await ask<SpecifyOutcome>("POST", `/tasks/${id}/specify`, undefined, BARE);
  assert.deepEqual(
    [failed.status, failed.json],
    [200, { task_id: id, ok: false, reason: "LLM returned an empty response", new_title: null }],
  );
  const done = await ask<SpecifyOutcome>("POST", `/tasks/${id}/specify`, undefined, BARE);
  assert.deepEqual(
    [done.status, done.json],
    [200, { task_id: id, ok: true, reason: "specified", new_title: "Write it" }],
  );
  const again = (await ask<SpecifyOutcome>("POST", `/tasks/${id}/specify`, {})).json;
  assert.deepEqual([again.ok, again.reason], [false, "task is not in triage (status='ready')"]);
  aux.client = "none";
  for (const unknown of ["t_00000000", "nonsense", "x".repeat(10_000)]) {
    const answer = await ask<SpecifyOutcome>("POST", `/tasks/${unknown}/specify`);
    assert.deepEqual([answer.status, answer.json.ok, answer.json.reason], [200, false, "unknown task id"]);
  }
});

test("decompose answers with its children, signed by anyone who asked", async (t) => {
  proves(t, "dashboard.decompose");
  const { world, ask, id } = await setup(t, graphAnswer({ title: "a" }, { title: "b", parents: [0] }));
  const { json } = await ask<DecomposeOutcome>("POST", `/tasks/${id}/decompose`, { author: "ann" });
  assert.deepEqual(
    [json.ok, json.fanout, json.reason, json.child_ids?.length],
    [true, true, "decomposed into 2 children", 2],
  );
  const [first] = json.child_ids ?? [];
  assert.equal((await world.board.task(DEFAULT, first ?? id)).created_by, "ann");
});

test("a client that goes away does not stop the model", async (t) => {
  let answer: (text: string) => void = () => undefined;
  const said = new Promise<string>((resolve) => {
    answer = resolve;
  });
  const { world, port, aux, id } = await setup(t, async () => ({ ok: true, text: await said }));
  const socket = connect(port, "127.0.0.1");
  const head = ["Host: 127.0.0.1", "Authorization: Bearer right", "Content-Length: 0"].join("\r\n");
  socket.write(`POST /api/plugins/kanban/tasks/${id}/specify HTTP/1.1\r\n${head}\r\n\r\n`);
  await aux.asked(1);
  const closed = new Promise((resolve) => socket.on("close", resolve));
  socket.destroy();
  await closed;
  const after = world.board.events(DEFAULT, await world.board.lastEvent(DEFAULT), AbortSignal.timeout(60_000));
  answer(JSON.stringify({ title: "Write it" }));
  for await (const event of after) if (event.kind === "specified") break;
  assert.equal((await world.board.task(DEFAULT, id)).title, "Write it");
});
