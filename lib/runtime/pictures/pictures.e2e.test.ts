import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { world } from "../../../fixtures/e2e/world.js";
import type { QueueState } from "../../contracts/chat/queue.js";

const png = (more: string): Buffer =>
  Buffer.concat([Buffer.from("89504e470d0a1a0a0000000d494844520000000800000008", "hex"), Buffer.from(more)]);

test("a picture of a message in the queue outlives its owner and fifty newer ones, and is sent with its message", async (t) => {
  const script = (_request: unknown, turn: number) => (turn === 0 ? { hold: "never" } : { text: "a cat" });
  const made = await world(t, { model: { script }, name: "any", config: "agent:\n  image_input_mode: native\n" });
  const first = await made.owner();
  const client = made.client();
  t.after(() => client.close());
  const path = join(made.work, "a.png");
  const attach = async (more: string) => {
    writeFileSync(path, png(more));
    return (await client.call<{ mention: string }>("image.attach", { path })).mention;
  };
  const { id } = await client.call<{ id: string }>("session.create", { cwd: made.work, source: "workspace" });
  await client.call("turn.submit", { session_id: id, text: "go" }, { key: "go" });
  await made.model.arrived(1);
  await client.call("turn.submit", { session_id: id, text: `what is ${await attach("the cat")}` }, { key: "what" });
  await first.end("SIGKILL");
  await made.owner();
  for (let n = 0; n < 50; n++) await attach(`newer ${n}`);
  const { items } = await client.call<QueueState>("queue.list", { session_id: id });
  assert.equal(items.length, 1);
  await client.call("session.resume", { session_id: id, cwd: made.work, source: "workspace" });
  await made.model.arrived(2);
  const said = made.model.chats().at(-1)?.body?.messages.at(-1)?.content;
  assert.ok(
    JSON.stringify(said).includes(`data:image/png;base64,${png("the cat").toString("base64")}`),
    JSON.stringify(said),
  );
});
