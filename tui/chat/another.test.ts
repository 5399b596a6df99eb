import assert from "node:assert/strict";
import { test } from "node:test";
import { key, openScreen } from "../../fixtures/tui/screen.js";
import type { Message } from "../model/messages.js";

const session: Message = { type: "session", id: "one", title: "work", model: "m1", items: [] };
const chat = (event: string, data: Readonly<Record<string, unknown>>): Message => ({ type: "chat", event, data });
const user = (id: number, content: string) =>
  chat("message.added", { id, role: "user", content, session_id: "one", ordinal: id });
const delta = (text: string) => chat("text.delta", { text });

async function open() {
  const screen = await openScreen(80, 24);
  await screen.send(session);
  return { ...screen, all: () => screen.lines().join("\n") };
}

test("another conversation shows nothing of the one before: no command, no text that streams, no place that was read", async () => {
  const screen = await open();
  await screen.send({ ...session, fresh: true });
  await screen.send(
    ...Array.from({ length: 20 }, (_, at) => user(at + 1, `line ${at}`)),
    ...[..."/version"].map((one) => key(one)),
  );
  await screen.send(key("enter"), { type: "command", id: 1, text: "version 1.2.3", failed: false });
  await screen.send(chat("turn.started", {}), delta("half a sen"), key("f2"), key("home"), key("escape"));
  await screen.send({ ...session, id: "two", fresh: true });
  assert.doesNotMatch(screen.all(), /version|half a sen|line \d/);
  await screen.send({ ...session, fresh: true }, user(30, "hello"));
  assert.match(screen.all(), /hello/);
  screen.close();
});

test("commands stay where they were typed when their conversation is read again in another segment", async () => {
  const screen = await open();
  await screen.send({ ...session, fresh: true }, ...[..."/version"].map((one) => key(one)), key("enter"));
  await screen.send({ type: "command", id: 1, text: "version 1.2.3", failed: false });
  await screen.send(chat("compaction.ended", { new_session_id: "one-b", before: 4, after: 1 }), {
    ...session,
    id: "one-b",
    fresh: true,
  });
  assert.match(screen.all(), /version 1\.2\.3/);
  screen.close();
});
