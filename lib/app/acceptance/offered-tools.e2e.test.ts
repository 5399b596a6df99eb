import assert from "node:assert/strict";
import { test } from "node:test";
import { type World, world } from "../../../fixtures/e2e/world.js";
import { proves } from "../../../fixtures/requirements.js";

const WORKER = ["kanban_block", "kanban_comment", "kanban_complete", "kanban_heartbeat", "kanban_show"];
const SESSION = ["kanban_create", "kanban_link", "kanban_list", "kanban_show", "kanban_unblock"];

/** Board tools that the model was offered with the first request whose messages speak of `about`. */
function offered({ model }: World, about: string): readonly string[] {
  const request = model.chats().find(({ body }) => JSON.stringify(body?.messages).includes(about));
  const tools: readonly unknown[] = request?.body?.tools ?? [];
  const names = tools.flatMap((tool) => /"name":"(kanban_\w+)"/.exec(JSON.stringify(tool))?.[1] ?? []);
  return names.toSorted((a, b) => a.localeCompare(b));
}

test("a worker is offered the tools of workers, a conversation those of orchestrators when it has the toolset, and never both", async (t) => {
  proves(t, "tool.kanban.worker-gate", "tool.kanban.orchestrator-gate");
  const made = await world(t, { model: {}, name: "script:worker" });
  await made.owner();
  const { id } = await made.json<{ id: string }>("kanban", "create", "write hello.txt", "--assignee", "default");
  await made.settled(id);
  assert.deepEqual(offered(made, id), WORKER);
  await made.run(["-z", "plain words", "-m", "script:echo"]);
  assert.deepEqual(offered(made, "plain words"), []);
  await made.run(["-z", "with the board", "-m", "script:echo", "-t", "kanban,file"]);
  assert.deepEqual(offered(made, "with the board"), SESSION);
});
