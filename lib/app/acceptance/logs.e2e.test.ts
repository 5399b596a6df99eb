import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { eventually } from "../../../fixtures/e2e/eventually.js";
import { kanbanWorld } from "../../../fixtures/e2e/kanban.js";
import { systemSpawner } from "../../base/process/spawn-system.js";
import type { TaskId } from "../../base/units.js";
import type { LogPart } from "../../contracts/board/api.js";

const lines = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => `line ${from + n}`);

test("a log is followed over its turning over until the run ends, and read as one afterwards", async (t) => {
  // The second half may be turned over as well before its run ends: both are kept.
  const kanban = { worker_log_rotate_bytes: 1024, worker_log_backup_count: 2, dispatch_interval_seconds: 1 };
  const { make, start, D, J, K, places, dump, told } = await kanbanWorld(t, { mode: "script", kanban });
  // Of the task that is made below: its worker may be there before the command that makes it has ended, and finds its script.
  const own = places.log("$AGENT_KANBAN_TASK" as TaskId); // the shell puts the id in
  // The second half is written once the first half was turned over. Each is one write: none is turned over in its middle.
  const script = [
    "seq -f 'line %g' 1 300",
    `while [ ! -e "${own}.1" ] || [ -s "${own}" ]; do sleep 0.05; done`,
    "seq -f 'line %g' 301 600 >&2",
    'exec agent kanban complete "$AGENT_KANBAN_TASK" --summary ok',
  ];
  writeFileSync(join(dump, "script.sh"), `${script.join("\n")}\n`);
  await D();
  const id = await make("talk");
  const log = places.log(id as TaskId); // what create has printed
  const { pid } = await told(id);
  const followed = await start(["log", id, "-f"]).ended;
  assert.deepEqual([followed.code, followed.err], [0, ""]);
  const [head, ...said] = followed.out.split("\n");
  assert.match(head ?? "", /^=== run 1 profile=default \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ ===$/);
  assert.deepEqual(said.slice(0, 600), lines(1, 600));
  assert.ok(existsSync(`${log}.1`));
  // The run ends before its process does, which has a last word to say.
  await eventually(() => systemSpawner.identify(pid) === undefined);
  const whole = await K("log", id);
  assert.deepEqual([whole.code, whole.err, whole.out.split("\n").slice(1, 601)], [0, "", lines(1, 600)]);
  assert.equal((await K("log", id, "--run", "1")).out, whole.out);
  const tail = await J<LogPart>("log", id, "--tail", "20");
  assert.deepEqual([tail.content, tail.truncated, tail.size_bytes], [whole.out.slice(-20), true, whole.out.length]);
  const missing = await K("log", id, "--run", "7");
  assert.deepEqual([missing.code, missing.out], [1, ""]);
});

test("what was never run has no log", async (t) => {
  const { make, K } = await kanbanWorld(t);
  const id = await make("x", "--external");
  for (const more of [[], ["-f"], ["--tail", "5"]]) {
    const { code, out, err } = await K("log", id, ...more);
    assert.deepEqual([code, out, err.split("\n")[0]], [1, "", `kanban: (no log for ${id})`]);
  }
});
