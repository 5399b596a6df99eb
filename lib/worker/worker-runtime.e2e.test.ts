import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { COMPLETE, WORKED_BY_APP_SERVER, WORKED_BY_CODEX_ACP } from "../../fixtures/agents/worker-programs.js";
import { eventually } from "../../fixtures/e2e/eventually.js";
import type { TaskFacts } from "../../fixtures/worlds/worker-home.js";

const ended = ({ runs }: TaskFacts) => runs.some(({ outcome }) => outcome !== null);
const DONE = { text: "Done." };

for (const { name, skip, open } of [WORKED_BY_APP_SERVER, WORKED_BY_CODEX_ACP]) {
  test(`a task of a profile whose worker program is ${name} is worked by it and completed through our tools`, {
    skip,
  }, async (t) => {
    const { home, requests } = await open(t, [{ run: "echo hello > hello.txt" }, COMPLETE, DONE]);
    await home.owner();
    const id = await home.create("write hello", "write hello.txt");
    const { task, runs } = await home.task(id, ended);
    assert.deepEqual([task.status, runs.length, runs[0]?.summary], ["done", 1, "written by another program"]);
    assert.equal(readFileSync(join(task.workspace_path ?? "", "hello.txt"), "utf8"), "hello\n");
    assert.match(JSON.stringify(requests[0]?.messages), /You work on one task of the task board/);
    const shown = await home.cli("sessions", "show", runs[0]?.session_id ?? "", "--json");
    assert.match(shown, /echo hello > hello.txt/);
  });

  test(`a command of ${name} that needs approval is not run: no one is there`, { skip }, async (t) => {
    const path = `/var/tmp/never-made-by-a-worker-${randomUUID()}`;
    t.after(() => rmSync(path, { force: true }));
    const { home, requests } = await open(t, [{ risk: `touch ${path}` }, COMPLETE, DONE]);
    await home.owner();
    const id = await home.create("risky", "do it");
    assert.equal((await home.task(id, ended)).task.status, "done");
    assert.equal(existsSync(path), false);
    assert.match(JSON.stringify(requests.at(1)?.messages), /reject|declin|denied/i);
  });

  test(`a worker of ${name} outlives its owner, finds the next one and completes: one run, nothing twice`, {
    skip,
  }, async (t) => {
    const hold = "touch begun; until test -e go; do sleep 0.1; done; echo once >> out.txt";
    const { home } = await open(t, [{ run: hold }, COMPLETE, DONE]);
    const first = await home.owner();
    const id = await home.create("slow", "do it");
    const { task } = await home.task(id, ({ task: now }) => now.workspace_path !== null);
    const file = (word: string) => join(task.workspace_path ?? "", word);
    await eventually(() => existsSync(file("begun")));
    process.kill(first.pid, "SIGKILL");
    await first.exited;
    await home.owner();
    writeFileSync(file("go"), "");
    const { task: done, runs, events } = await home.task(id, ended);
    assert.deepEqual([done.status, runs.length, readFileSync(file("out.txt"), "utf8")], ["done", 1, "once\n"]);
    assert.ok(events.some(({ kind }) => kind === "adopted"));
  });
}
