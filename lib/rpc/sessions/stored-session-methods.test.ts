import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { slashWorld } from "../../../fixtures/sim/slash-world.js";
import type { CallContext, ClientContext } from "../../backplane/methods.js";
import { storedSessionMethods } from "./stored-session-methods.js";

/** A conversation of two exchanges, and the methods of front ends on it. */
async function setup(t: TestContext) {
  const world = slashWorld(t);
  const { id } = await world.create();
  await world.say(id, "one");
  await world.say(id, "the zebra two");
  const methods = storedSessionMethods(world.chat);
  const call = async (name: string, params: object): Promise<Record<string, unknown>> => {
    const method = methods.get(name) ?? assert.fail(name);
    return (await method.run(
      method.params.parse({ session_id: id, ...params }),
      {} as ClientContext,
      {} as CallContext,
    )) as Record<string, unknown>; // these methods ask nothing of their caller
  };
  return { ...world, id, call };
}

test("a front end undoes, redoes and sends again", async (t) => {
  const { call, chat, id } = await setup(t);
  const undone = await call("session.undo", { turns: 1, what: "chat" });
  assert.deepEqual([undone["messages"], undone["text"]], [2, "the zebra two"]);
  assert.equal((await call("session.redo", {}))["messages"], 2);
  assert.equal((await call("session.retry", {}))["turn_id"], `${id}:3`);
  await chat.idle(id);
  assert.equal((await chat.messages(id)).length, 4);
});

test("a front end renames, forks, archives, exports and deletes", async (t) => {
  const { call, chat, id } = await setup(t);
  assert.equal((await call("session.rename", { title: "stripes" }))["title"], "stripes");
  const [first] = await chat.messages(id);
  const fork = await call("session.fork", { message_id: first?.id, title: "copy" });
  assert.deepEqual([fork["title"], fork["message_count"]], ["copy", 1]);
  assert.equal((await call("session.archive", {}))["archived"], true);
  assert.equal((await call("session.unarchive", {}))["archived"], false);
  assert.match(String((await call("session.export", { format: "md" }))["text"]), /heard: the zebra two/);
  assert.equal((await call("session.search", { query: "zebra" }))["length"], 1);
  assert.deepEqual(await call("session.close", {}), { kept: true });
  assert.equal((await call("session.delete", {}))["sessions"], 1);
  await assert.rejects(call("session.undo", {}), /no such session/);
});
