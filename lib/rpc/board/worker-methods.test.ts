import assert from "node:assert/strict";
import { test } from "node:test";
import { chatOwner } from "../../../fixtures/sim/chat-owner.js";
import type { CallContext, ClientContext } from "../../backplane/methods.js";
import { ownerMethods } from "../owner-methods.js";

test("whoever lets clients in loads no board for it, and a worker that comes has to prove its claim anyway", async (t) => {
  const { app } = await chatOwner(t, { script: [{ text: "done" }] });
  const heartbeat = ownerMethods(app, []).get("worker.heartbeat") ?? assert.fail("no such method");
  assert.equal(app.boards.peek(), undefined);
  const claim = { board: "default", task: "t_00000001", run: 1, token: "0".repeat(64) };
  const ask = (client: Partial<ClientContext>) => heartbeat.run({}, client as ClientContext, {} as CallContext); // it reads nothing else of them
  await assert.rejects(async () => ask({}), { code: "E_NOT_OWNER" });
  await assert.rejects(async () => ask({ claim }), { code: /^E_(NOT_FOUND|CLAIM_LOST)$/ });
  assert.notEqual(app.boards.peek(), undefined);
});
