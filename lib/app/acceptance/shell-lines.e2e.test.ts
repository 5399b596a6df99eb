import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { world } from "../../../fixtures/e2e/world.js";
import type { SlashAnswer } from "../../contracts/chat/slash.js";

const CHAT = { platform: "msgt", chat_id: "5" };

async function opened(t: Parameters<typeof world>[0]) {
  const made = await world(t, { model: { script: { pick: "history", replies: [{ text: "read" }] } }, name: "m" });
  await mkdir(join(made.work, "sub"));
  await made.owner();
  const client = made.client();
  t.after(() => client.close());
  const { id } = await client.call<{ id: string }>("session.create", { source: "workspace", cwd: made.work });
  const line = (text: string, more = {}) =>
    client.call<SlashAnswer>("command.run", { text, session_id: id, data: true, ...more });
  const say = async (text: string) => {
    const { turn_id } = await client.call<{ turn_id: string }>("turn.submit", { session_id: id, text });
    await made.event((event) => event.event === "turn.ended" && event.turn_id === turn_id, "sessions");
    return JSON.stringify(made.model.chats().at(-1));
  };
  return { made, client, id, line, say };
}

test("a shell line runs in the conversation's terminal without a question, and its directory stays", async (t) => {
  const { made, line } = await opened(t);
  assert.deepEqual((await line("!cd sub && echo hi >&2")).text, "hi");
  const { text, data } = await line("! pwd");
  assert.equal(text, join(made.work, "sub"));
  assert.deepEqual(data, { output: text, exit_code: 0, cwd: text });
  const failed = await line("!echo partly; exit 3");
  assert.deepEqual([failed.text, failed.exit], ["partly\nexit code 3", 1]);
  assert.equal((await line("!true")).text, "(no output)");
});

test("the model reads the output of `!!` with the next message and no other, and of `!` never", async (t) => {
  const { line, say } = await opened(t);
  await line("!echo mine alone");
  const told = await line("!!echo for the model; exit 4");
  assert.equal(told.text, "for the model\nexit code 4\nThe model reads this with your next message.");
  const first = await say("what is this?");
  assert.match(
    first,
    /what is this\?\\n\\n\[I ran: echo for the model; exit 4 \(exit code 4\)\]\\n```\\nfor the model\\n```/,
  );
  assert.doesNotMatch(first, /mine alone/);
  assert.doesNotMatch((await say("and now?")).split("and now?").at(-1) ?? "", /for the model/);
});

test("a shell line ends when its person interrupts, and is refused from a chat on a platform", async (t) => {
  const { made, client, id, line } = await opened(t);
  const long = line("!echo $$ > began; sleep 300");
  while ((await line("!cat began")).exit !== 0);
  await client.call("turn.interrupt", { session_id: id });
  assert.match((await long).text, /\[Command interrupted\]\nexit code 130/);
  const refused = await line("!touch leaked", { origin: CHAT });
  assert.equal(refused.error?.code, "E_FORBIDDEN");
  assert.equal((await line("!ls leaked")).exit, 1, made.work);
});
