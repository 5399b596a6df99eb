import assert from "node:assert/strict";
import { test } from "node:test";
import { world } from "../../../fixtures/e2e/world.js";

for (const verb of ["watch", "tail"] as const) {
  test(`${verb} goes on after a restart of the owner, without an event twice or left out`, async (t) => {
    const { owner, start, run, json } = await world(t);
    const first = await owner();
    const { id } = await json<{ readonly id: string }>("kanban", "create", "one", "--external");
    const following = start(["kanban", verb, ...(verb === "tail" ? [id] : ["--since", "0"]), "--json"]);
    await following.line((line) => line.includes('"created"'));
    process.kill(first.pid, "SIGKILL");
    await following.line((line) => line.includes("waiting for the next one"));
    await first.ended;
    await owner();
    assert.equal((await run(["kanban", "comment", id, "after the restart"])).code, 0);
    await following.line((line) => line.includes('"commented"'));
    process.kill(following.pid, "SIGINT");
    const { code, out } = await following.ended;
    assert.equal(code, 0);
    const kinds = out
      .trim()
      .split("\n")
      .map((line): string => JSON.parse(line).kind);
    assert.deepEqual(kinds, ["created", "commented"]);
  });
}
