import assert from "node:assert/strict";
import { test } from "node:test";
import { alt, ENTER, opened, paste, session, text } from "../../fixtures/tui/composer-screen.js";
import { key } from "../../fixtures/tui/screen.js";
import type { Message } from "../model/messages.js";

const MENTION = "@image:/h/cache/attached/0123456789abcdef-shot.png";
const picture = (asked?: string): Message => ({
  type: "picture",
  asked,
  name: "shot.png",
  bytes: 5_000,
  mention: MENTION,
});

test("a picture that was dropped is a chip of the message, which one backspace takes, and which is sent in its place", async (t) => {
  const { send, typed, lines, done, close } = await opened();
  t.after(close);
  await send(text("see "), paste("/tmp/shot.png"));
  await send(picture("/tmp/shot.png"));
  assert.match(lines().join("\n"), /› see \[Image shot\.png: 5000 bytes\]/);
  await send(key("backspace"));
  assert.equal(typed(), "see ");
  await send(picture(), text(" please"), ENTER);
  assert.deepEqual(
    done("submit").map((one) => (one.do === "submit" ? one.text : "")),
    [`see ${MENTION} please`],
  );
});

test("words that were typed against a picture are not part of its name", async (t) => {
  const { send, done, close } = await opened();
  t.after(close);
  await send(text("see"), picture(), picture(), text("what is this?"), ENTER);
  assert.deepEqual(
    done("submit").map((one) => (one.do === "submit" ? one.text : "")),
    [`see ${MENTION} ${MENTION} what is this?`],
  );
});

test("a picture behind a long paste is not part of what was pasted", async (t) => {
  const { send, done, close } = await opened();
  t.after(close);
  const long = Array.from({ length: 47 }, (_, n) => `row ${n}`).join("\n");
  await send(paste(long), picture(), ENTER);
  assert.deepEqual(
    done("submit").map((one) => (one.do === "submit" ? one.text : "")),
    [`${long} ${MENTION}`],
  );
});

test("a path that was edited meanwhile stays as it is, and a picture that was asked for by name comes at the cursor", async (t) => {
  const { send, typed, close } = await opened();
  t.after(close);
  await send(text("see "), paste("/tmp/shot.png"), key("backspace"));
  await send(picture("/tmp/shot.png"));
  assert.equal(typed(), "see /tmp/shot.pn");
});

const COMMANDS: readonly (readonly [string, object])[] = [
  ["/image shots/a b.png", { do: "keepPicture", path: "shots/a b.png", session: "s", asked: undefined }],
  ["/file notes.txt", { do: "look", path: "notes.txt", session: "s", typed: true }],
  ["/image", { do: "grab" }],
  ["/paste", { do: "grab" }],
];

for (const [line, effect] of COMMANDS)
  test(`${line} attaches, and is no message`, async (t) => {
    const { send, typed, rule, done, effects, close } = await opened();
    t.after(close);
    await send(session, text(line));
    assert.match(rule(), /Enter: attach it/);
    await send(ENTER);
    assert.equal(typed(), "");
    assert.deepEqual(effects.at(-1), effect);
    assert.deepEqual([...done("submit"), ...done("command")], []);
  });

test("Alt+V looks into the clipboard for a picture, and what was typed stays", async (t) => {
  const { send, typed, done, close } = await opened();
  t.after(close);
  await send(text("look: "), alt("v"));
  assert.deepEqual(done("grab"), [{ do: "grab" }]);
  assert.equal(typed(), "look: ");
});

const LONG = `@image:"/home/somebody/a home/cache/attached/0123456789abcdef-my shot.png"`;
const waits = (words: string): Message => ({
  type: "chat",
  event: "queue.changed",
  data: { items: [{ id: "q_1", text: words, kind: "message", by: "", source: "workspace" }], paused: false },
});

for (const mention of [MENTION, LONG])
  test(`a picture of a message in the queue is seen by its name, is a sign while it is edited, and goes back as it was: ${mention}`, async (t) => {
    const { send, typed, lines, done, close } = await opened();
    t.after(close);
    await send(waits(`what is ${mention} ?`));
    assert.match(lines().join("\n"), /1 what is \[Image (my )?shot\.png\] \?/);
    await send(alt("q"), text("e"));
    assert.match(lines().join("\n"), /› what is \[Image (my )?shot\.png\] \?/);
    assert.equal([...typed()].length, "what is  ?".length + 1);
    await send(text("!"), ENTER);
    assert.deepEqual(
      done("call").flatMap((one) => (one.do === "call" && one.method === "queue.edit" ? [one.params["text"]] : [])),
      [`what is ${mention} ?!`],
    );
  });

test("a picture of a draft, and of a message that the owner refused, is a sign again", async (t) => {
  const { send, typed, lines, done, close } = await opened();
  t.after(close);
  await send({ type: "drafted", session: "s", text: `see ${MENTION} now` });
  assert.match(lines().join("\n"), /› see \[Image shot\.png\] now/);
  await send(ENTER);
  assert.deepEqual(
    done("submit").map((one) => (one.do === "submit" ? one.text : "")),
    [`see ${MENTION} now`],
  );
  await send({ type: "sent", id: 1, outcome: "refused" });
  assert.match(lines().join("\n"), /› see \[Image shot\.png\] now/);
  assert.equal([...typed()].length, "see  now".length + 1);
});
