import assert from "node:assert/strict";
import { test } from "node:test";
import { findToolAbove } from "./ancestry.js";
import { listPersonStarts } from "./person-starts.js";
import { systemSpawner } from "./spawn-system.js";

const skip = process.platform === "linux" ? false : "ancestors are read from /proc";
const home = { dir: "/nonexistent", owner: process.pid, personStarts: listPersonStarts };
const sleeper = { file: "sleep", args: ["60"], cwd: "/", env: { PATH: "/usr/bin:/bin" } };

test("what starts for a person's settings is no child of a tool, until it ends; a pid that is used again is one", {
  skip,
}, async () => {
  const tool = await systemSpawner.spawn(sleeper);
  const hook = await systemSpawner.spawn({ ...sleeper, forPerson: true });
  assert.equal(findToolAbove(tool.pid, home), process.pid);
  assert.equal(findToolAbove(hook.pid, home), undefined);
  const used = [{ pid: hook.pid, start: `${hook.id.start}0` }];
  assert.equal(findToolAbove(hook.pid, { ...home, personStarts: () => used }), process.pid);
  for (const { pid } of [tool, hook]) systemSpawner.signal({ pid }, "SIGKILL");
  await Promise.all([tool.exited, hook.exited]);
  assert.deepEqual(listPersonStarts(), []);
});

test("a mark of a tool below what starts for a person's settings still counts", { skip }, async () => {
  const args = ["-c", "env AGENT_SESSION_ID=s sh -c 'echo $$; sleep 60; :'; :"];
  const hook = await systemSpawner.spawn({ ...sleeper, file: "sh", args, forPerson: true });
  const child = await new Promise<number>((resolve) => hook.onOutput((chunk) => resolve(Number(chunk.toString()))));
  assert.equal(findToolAbove(child, home), child);
  await systemSpawner.endGroup(hook.pid, 0);
});
