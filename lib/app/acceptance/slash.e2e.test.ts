import assert from "node:assert/strict";
import { test } from "node:test";
import { world } from "../../../fixtures/e2e/world.js";
import type { Task } from "../../contracts/board/board.js";
import type { Subscription } from "../../contracts/board/notify.js";
import type { SlashAnswer } from "../../contracts/chat/slash.js";

const CHAT = { platform: "msgt", chat_id: "5", thread_id: "7", user_id: "u1", user_name: "Ann" };

interface Row {
  readonly role: string;
  readonly content: string;
}

test("89: a task is made from a chat while a turn runs there; the chat is subscribed and told so, and the turn goes on", async (t) => {
  const script = { replies: [{ hold: "the task is made", text: "good morning" }] };
  const made = await world(t, { model: { script }, name: "any" });
  await made.owner();
  const client = made.client();
  const { id } = await client.call<{ id: string }>("session.create", { source: "workspace", cwd: made.work });
  const { turn_id } = await client.call<{ turn_id: string }>("turn.submit", { session_id: id, text: "hello" });
  const text = '/kanban create "say \\"hi\\"" --assignee default';
  const answer = await client.call<SlashAnswer>("command.run", { text, origin: CHAT });
  const [task] = await made.json<Task[]>("kanban", "list");
  assert.equal(task?.title, 'say "hi"');
  assert.match(
    answer.text,
    new RegExp(`^Created ${task?.id} {2}\\(\\w+, assignee=default\\)\nThis chat is subscribed`),
  );
  const [sub, ...more] = await made.json<Subscription[]>("kanban", "notify", "list");
  assert.deepEqual(
    [sub?.task_id, sub?.chat_id, sub?.thread_id, sub?.user_id, more.length],
    [task?.id, "5", "7", "u1", 0],
  );
  const during = await client.call<Row[]>("session.messages", { session_id: id, limit: 50 });
  assert.deepEqual(
    during.map((row) => row.role),
    ["user"],
  );
  made.model.release("the task is made");
  const ended = await made.event((event) => event.event === "turn.ended" && event.turn_id === turn_id, "sessions");
  assert.equal(ended.data["final_response"], "good morning");
  const after = await client.call<Row[]>("session.messages", { session_id: id, limit: 50 });
  assert.deepEqual(
    after.map((row) => row.content),
    ["hello", "good morning"],
  );
  client.close();
});

test("90: a long list is cut, a wrong word and a command that follows are answered with what to do", async (t) => {
  const made = await world(t);
  await made.owner();
  const client = made.client();
  for (let n = 0; n < 500; n += 50) {
    const tasks = Array.from({ length: 50 }, (_, at) =>
      client.call<Task>("kanban.create", { title: `task ${n + at}`, external: true }),
    );
    await Promise.all(tasks);
  }
  const [first] = await client.call<Task[]>("kanban.list", {});
  const ask = (text: string) => made.run(["chat", "-q", text]);
  const listed = await ask("/kanban list");
  const lines = listed.out.trimEnd().split("\n");
  assert.match(lines.pop() ?? "", /^… \(truncated, \d+ more characters\)$/);
  assert.ok([...lines.join("\n")].length <= 3800 && lines.length > 30);
  assert.equal(listed.code, 0);
  const bogus = await ask("/kanban bogus");
  assert.equal(bogus.out, "");
  assert.match(bogus.err, /^⚠ \/kanban usage error\nunknown command 'bogus'\nusage: \/kanban /);
  assert.equal(bogus.code, 2);
  for (const origin of [undefined, CHAT]) {
    const tail = await client.call<SlashAnswer>("command.run", {
      text: `/kanban tail ${first?.id}`,
      ...(origin && { origin }),
    });
    assert.match(tail.text, /^\/kanban tail is not available in a chat: .*\/kanban show/);
    assert.deepEqual([tail.exit, tail.error?.code], [1, "E_FORBIDDEN"]);
  }
  assert.deepEqual(await made.json("sessions", "list"), []);
  client.close();
});

test("every command with the surface slash answers for its help, and -z gives its data as JSON", async (t) => {
  const made = await world(t);
  await made.owner();
  const client = made.client();
  const commands = await client.call<{ path: string; usage: string }[]>("command.list", {});
  assert.ok(commands.length > 40);
  for (const { path } of commands) {
    const help = await client.call<SlashAnswer>("command.run", { text: `/${path} -h` });
    assert.deepEqual([help.exit, help.text.includes(`/${path}`)], [0, true], path);
  }
  const completed = await client.call<{ text: string }[]>("complete", { text: "/kanban cre", cursor: 11 });
  assert.deepEqual(
    completed.map((one) => one.text),
    ["create"],
  );
  client.close();
  assert.match((await made.run(["-z", "/help start"])).out, /agent/);
  assert.deepEqual(JSON.parse((await made.run(["-z", "/kanban list", "--json"])).out), []);
  const { out, code } = await made.run(["-z", "/kanban show t_00000000", "--json"]);
  assert.deepEqual([code, JSON.parse(out).error.code], [1, "E_NOT_FOUND"]);
  assert.match((await made.run(["-z", "/sessions list"])).out, /./);
});
