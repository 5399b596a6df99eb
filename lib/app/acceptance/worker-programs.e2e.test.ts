import assert from "node:assert/strict";
import { test } from "node:test";
import { kanbanWorld } from "../../../fixtures/e2e/kanban.js";

const MISSING = "worker: { program: app-server }\napp_server: { command: nosuch-app-server }\n";

test("a task whose worker program is missing is warned of, waits without a run, and starts once the setting is changed", async (t) => {
  const { K, Kwith, J, P, show, run } = await kanbanWorld(t, { config: MISSING });
  const made = await K("create", "one", "--assignee", "default");
  assert.match(
    made.err,
    /profile default cannot start a worker; the task will wait: .*nosuch-app-server is not on PATH/,
  );
  const id = /t_[0-9a-f]{8}/.exec(made.out)?.[0] ?? "";
  for (let pass = 0; pass < 2; pass++) assert.deepEqual((await P()).skipped_nonspawnable, [id]);
  assert.deepEqual((await show(id)).runs, []);
  const { reasons } = await J<{ reasons: { code: string; text: string; action?: string }[] }>("why", id);
  const reason = reasons.find(({ code }) => code === "no_worker_program");
  assert.match(
    reason?.text ?? "",
    /No worker of default can start: worker.program is app-server, but nosuch-app-server/,
  );
  assert.match(reason?.action ?? "", /config set worker.program native/);
  const found = await J<{ task_id: string | null; diagnostics: { kind: string }[] }[]>("diagnostics");
  const own = found.filter(({ task_id }) => task_id === id).flatMap(({ diagnostics }) => diagnostics);
  assert.deepEqual(
    own.map(({ kind }) => kind),
    ["no_worker_program"],
  );
  assert.match((await K("doctor")).out, /worker programs.*nosuch-app-server is not on PATH/s);
  assert.match((await K("assign", id, "default")).err, /cannot start a worker/);
  const inside = await Kwith({ env: { AGENT_WORKER_MARK: "x" } }, "assign", id, "none");
  assert.notEqual(inside.code, 0, "a worker does not choose who works");
  assert.equal((await run(["config", "set", "worker.program", "native"])).code, 0);
  assert.equal((await P()).spawned.length, 1);
});
