import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { world } from "../../../fixtures/e2e/world.js";
import { proves } from "../../../fixtures/requirements.js";

interface Shown {
  readonly messages: readonly {
    readonly role: string;
    readonly content: string;
    readonly tool_name?: string;
    readonly status?: string;
  }[];
}

test("a task typed on the command line is worked against a model server and recorded as done, with the whole conversation", async (t) => {
  proves(t, "board.claim.spawns", "agent.tool-using");
  const { json, owner, settled, event, model } = await world(t, { model: {}, name: "script:worker" });
  await owner();
  const { id } = await json<{ id: string }>("kanban", "create", "write hello.txt", "--assignee", "default");
  const { task, runs, events } = await settled(id);
  assert.equal(task.status, "done");
  assert.equal(readFileSync(join(task.workspace_path ?? "", "hello.txt"), "utf8"), "hello\n");
  const [run] = runs;
  assert.deepEqual(
    [runs.length, run?.outcome, run?.summary, run?.profile],
    [1, "completed", "wrote hello.txt", "default"],
  );
  const kinds = events
    .map(({ kind }) => kind)
    .filter((kind) => ["created", "claimed", "spawned", "completed"].includes(kind));
  assert.deepEqual(kinds, ["created", "claimed", "spawned", "completed"]);
  await event((one) => one.event === "turn.ended" && one.session_id === run?.session_id, "sessions");
  const { messages } = await json<Shown>("sessions", "show", run?.session_id ?? "");
  const said = messages.map(({ role, tool_name, status }) =>
    [role, ...(role === "tool" ? [tool_name, status] : [])].join(" "),
  );
  assert.deepEqual(said, [
    "user",
    "assistant",
    "tool kanban_show ok",
    "assistant",
    "tool write_file ok",
    "assistant",
    "tool kanban_complete ok",
  ]);
  assert.deepEqual(JSON.parse(messages.at(-1)?.content ?? ""), { ok: true, task_id: id, run_id: run?.id });
  assert.equal(model.chats().length, 3);
});
