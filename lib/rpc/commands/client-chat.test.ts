import assert from "node:assert/strict";
import { test } from "node:test";
import { actorOwner } from "../../../fixtures/worlds/actor-owner.js";
import type { ClientContext } from "../../backplane/methods.js";
import { COMMANDS } from "../../commands/index.gen.js";
import { ownerMethods } from "../owner-methods.js";

/** An owner, and two clients that stay connected. */
async function setup(t: Parameters<typeof actorOwner>[0]) {
  const owner = await actorOwner(t, { model: { script: { replies: [{ text: "hello" }] } } });
  const methods = await ownerMethods(owner.host.app, COMMANDS);
  const clientOf = (id: number): ClientContext => ({
    id,
    transport: "socket",
    kind: "workspace",
    signal: new AbortController().signal,
  });
  const call = async (client: ClientContext, name: string, params: object) => {
    const method = methods.get(name);
    assert.ok(method, name);
    return (await method.run(method.params.parse(params), client, {})) as Readonly<Record<string, unknown>>; // of these methods
  };
  const open = async () => (await owner.chat.activity()).map(({ session_id }) => session_id);
  return {
    owner,
    call,
    open,
    one: clientOf(1),
    other: clientOf(2),
    place: { source: "workspace", cwd: owner.work, env: {} },
  };
}

test("a client that begins a conversation and resumes it leaves it with one close, and not that of another client", async (t) => {
  const { owner, call, open, one, other, place } = await setup(t);
  const { id: session_id } = await owner.session({ title: "kept" });
  for (const client of [one, one, other]) await call(client, "session.resume", { ...place, session_id });
  await owner.chat.leave(session_id, "closed"); // the test itself began it
  await call(one, "session.close", { session_id });
  assert.deepEqual(await open(), [session_id]);
  await call(other, "session.close", { session_id });
  assert.deepEqual(await open(), []);
});

test("a conversation that /resume opened for a client is left when the client closes it", async (t) => {
  const { owner, call, open, one, place } = await setup(t);
  const { id: session_id } = await owner.session({ title: "earlier" });
  await owner.chat.leave(session_id, "closed");
  const { session_id: begun } = await call(one, "session.create", place);
  await call(one, "command.run", { text: "/resume earlier", session_id: begun, cwd: owner.work });
  await call(one, "session.resume", { ...place, session_id });
  assert.deepEqual(await open(), [session_id]);
  await call(one, "session.close", { session_id });
  assert.deepEqual(await open(), []);
});
