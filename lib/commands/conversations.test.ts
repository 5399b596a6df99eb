import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { proves } from "../../fixtures/requirements.js";
import { holding, slashWorld } from "../../fixtures/sim/slash-world.js";
import { openTranscript } from "../chat/transcript/transcript.js";

test("C56: a branch begins like its parent and ends differently; its goal waits", async (t) => {
  const world = slashWorld(t);
  const { create, say, slash, chat, store, clock, sent } = world;
  const { id } = await create();
  await say(id, "common");
  const parent = openTranscript({ store, clock }, (await chat.get(id)) ?? assert.fail());
  await parent.setRecord("goal", JSON.stringify({ goal: "be done", status: "active", paused_reason: null }));
  await parent.setRecord("todo", JSON.stringify([{ id: "1", content: "it", status: "pending" }]));
  await parent.setRecord("grants", JSON.stringify(["npm test"]));
  const { next, exit } = await slash("/branch x", id);
  const branch = next?.open ?? assert.fail("the front end is told to show the branch");
  assert.equal(exit, 0);
  await say(branch, "in the branch");
  assert.deepEqual(sent(), ["common", "heard: common", "in the branch"]);
  await say(id, "in the parent");
  assert.deepEqual(sent(), ["common", "heard: common", "in the parent"]);
  const made = (await chat.get(branch)) ?? assert.fail();
  assert.deepEqual([made.title, made.relation, made.parent_session_id, made.lineage_root], ["x", "branch", id, branch]);
  const records = openTranscript({ store, clock }, made);
  assert.deepEqual(JSON.parse((await records.record("goal")) ?? ""), {
    goal: "be done",
    status: "paused",
    paused_reason: "user",
  });
  assert.equal(await records.record("todo"), await parent.record("todo"));
  assert.equal(await records.record("grants"), await parent.record("grants"));
  assert.equal(JSON.parse((await parent.record("goal")) ?? "").status, "active");
  assert.equal((await chat.list({})).length, 2);
});

test("/status tells of the conversation that it was typed in, and of the owner", async (t) => {
  const { create, say, slash } = slashWorld(t);
  const { id } = await create();
  await say(id, "one");
  const { text, data } = await slash("/status", id);
  for (const line of [
    /^session: /m,
    /^model: /m,
    /^phase: idle/m,
    /^context: .* tokens, \d+ %/m,
    /^queue: empty/m,
    /^home: /m,
  ])
    assert.match(text, line);
  assert.equal((data as { session: { id: string } }).session.id, id);
});

test("a branch at a message ends there, and a call takes its result along", async (t) => {
  const { create, say, slash, chat } = slashWorld(t);
  const { id } = await create();
  await say(id, "one");
  await say(id, "two");
  const [first, answer] = await chat.messages(id);
  const { next } = await slash(`/branch --at ${answer?.id}`, id);
  const copied = await chat.messages(next?.open ?? assert.fail());
  assert.deepEqual(
    copied.map(({ content }) => content),
    ["one", "heard: one"],
  );
  assert.match((await slash(`/branch --at ${(first?.id ?? 0) + 1_000}`, id)).text, /is not visible/);
});

test("the export of a branch has its beginning, and the parent's deletion leaves it alone", async (t) => {
  const { create, say, slash, chat } = slashWorld(t);
  const { id } = await create();
  await say(id, "the common zebra");
  const branch = (await slash("/branch y", id)).next?.open ?? assert.fail();
  await say(branch, "later");
  await chat.delete(id);
  let text = "";
  for await (const chunk of chat.export(branch, "md")) text += chunk;
  assert.equal(text.split("## User").length - 1, 2);
  assert.match(text, /the common zebra/);
  assert.equal((await chat.get(branch))?.parent_session_id, null);
  assert.equal((await chat.search("zebra", 5))[0]?.session_id, branch);
});

test("branches without a name are numbered after their parent's title", async (t) => {
  const { create, say, slash, chat } = slashWorld(t);
  const { id } = await create({ title: "work" });
  await say(id, "hi");
  const titles = [];
  for (let n = 0; n < 2; n++)
    titles.push((await chat.get((await slash("/fork", id)).next?.open ?? assert.fail()))?.title);
  assert.deepEqual(titles, ["work #2", "work #3"]);
  assert.match((await slash("/branch work", id)).text, /already in use by session/);
});

test("C52: leaving with --delete removes every trace, and a word that exit does not know changes nothing", async (t) => {
  proves(t, "chat.exit-delete", "chat.exit-unknown");
  const { create, say, slash, chat, dir } = slashWorld(t);
  const { id } = await create();
  await say(id, "remember quuxzebra");
  const wrong = await slash("/exit foo", id);
  assert.deepEqual(
    [wrong.text, wrong.exit, wrong.next],
    ["Unknown argument for /exit: foo (use /exit or /exit --delete)", 2, undefined],
  );
  assert.equal((await slash("/quit --delet", id)).exit, 2);
  const left = await slash("/exit --delete", id);
  assert.deepEqual([left.exit, left.next], [0, { quit: true, gone: true }]);
  assert.deepEqual(await chat.list({}), []);
  assert.deepEqual(await chat.search("quuxzebra", 5), []);
  const files = readdirSync(dir, { recursive: true, encoding: "utf8" }).filter((name) =>
    statSync(join(dir, name)).isFile(),
  );
  for (const name of files) assert.equal(readFileSync(join(dir, name), "latin1").includes("quuxzebra"), false, name);
});

test("leaving deletes a session whose turn still runs once that turn has been interrupted", async (t) => {
  const held = holding();
  const { create, say, slash, chat } = slashWorld(t, { reply: held.reply });
  const { id } = await create();
  const turn = say(id, "one");
  await held.asked;
  const leaving = slash("/exit -d", id);
  held.answer("late");
  await turn;
  assert.equal((await leaving).exit, 0);
  assert.equal(await chat.get(id), undefined);
});

test("an empty session without a title goes when it is left, any other stays and is closed", async (t) => {
  const { create, say, slash, chat } = slashWorld(t);
  const empty = await create();
  assert.deepEqual((await slash("/quit", empty.id)).next, { quit: true, gone: true });
  assert.equal(await chat.get(empty.id), undefined);
  const titled = await create({ title: "kept" });
  const used = await create();
  await say(used.id, "hi");
  for (const { id } of [titled, used]) await slash("/exit", id);
  assert.deepEqual(
    [(await chat.get(titled.id))?.end_reason, (await chat.get(used.id))?.end_reason],
    ["closed", "closed"],
  );
  await say(used.id, "again");
  assert.equal((await chat.get(used.id))?.end_reason, null);
});

test("new begins a fresh conversation and asks first while a turn runs", async (t) => {
  const held = holding();
  const { create, say, slash, chat } = slashWorld(t, { reply: held.reply });
  const { id } = await create();
  const turn = say(id, "one");
  await held.asked;
  const asked = await slash("/new", id);
  assert.match(asked.text, /A turn is running/);
  assert.equal(asked.next?.open, undefined);
  const made = await slash("/new plan b --yes", id);
  held.answer("late");
  await turn;
  const fresh = (await chat.get(made.next?.open ?? assert.fail())) ?? assert.fail();
  assert.deepEqual([fresh.title, fresh.message_count], ["plan b", 0]);
  assert.match((await slash("/res", id)).text, /Ambiguous|in full/);
});

test("an ephemeral conversation leaves nothing in the store and is not found", async (t) => {
  const { create, say, slash, chat, store } = slashWorld(t);
  const { id } = await create();
  const made = await slash("/new --ephemeral", id);
  const fresh = made.next?.open ?? assert.fail();
  await say(fresh, "the hidden zebra");
  assert.equal((await chat.messages(fresh)).length, 2);
  assert.deepEqual(await chat.search("zebra", 5), []);
  assert.equal((await store.read((q) => q.get("SELECT count(*) AS n FROM messages")))?.["n"], 0);
  const branch = (await slash("/branch", fresh)).next?.open ?? assert.fail();
  assert.equal((await chat.messages(branch)).length, 2);
  assert.equal((await store.read((q) => q.get("SELECT count(*) AS n FROM sessions")))?.["n"], 0);
});

test("a title with quotes and dashes is taken as it is typed", async (t) => {
  const { create, slash, chat } = slashWorld(t);
  const { id } = await create();
  assert.match((await slash("/title", id)).text, /untitled/);
  await slash("/title don't --force it", id);
  assert.equal((await chat.get(id))?.title, "don't --force it");
  assert.equal((await slash("/rename", id)).text, "don't --force it");
});

test("archive puts the conversation away and opens a new one", async (t) => {
  const { create, say, slash, chat } = slashWorld(t);
  const { id } = await create();
  await say(id, "hi");
  const { next } = await slash("/archive", id);
  assert.notEqual(next?.open, id);
  assert.deepEqual(
    [(await chat.list({})).map((one) => one.id), (await chat.list({ archived: true })).map((one) => one.id)],
    [[next?.open], [id]],
  );
});

test("save writes the conversation where it is told to, history prints it", async (t) => {
  const { create, say, slash, dir } = slashWorld(t);
  const { id } = await create();
  await say(id, "hi");
  await slash("/save", id);
  assert.match(readFileSync(join(dir, `session_${id}.md`), "utf8"), /heard: hi/);
  await slash("/export json out.json", id);
  assert.equal(JSON.parse(readFileSync(join(dir, "out.json"), "utf8")).messages.length, 2);
  await slash("/save notes.jsonl", id);
  assert.ok(existsSync(join(dir, "notes.jsonl")));
  assert.match((await slash("/save pdf out.pdf", id)).text, /unknown format 'pdf'/);
  assert.match((await slash("/history", id)).text, /user\nhi\n\n.*assistant\nheard: hi/);
});

test("resume shows what it was about and leaves the other conversation", async (t) => {
  const { create, say, slash, chat } = slashWorld(t);
  const one = await create();
  await say(one.id, "the first thing");
  const two = await create();
  await say(two.id, "the second thing");
  assert.match((await slash("/resume", two.id)).text, new RegExp(`^${two.id}.*\n${one.id}`));
  const answer = await slash(`/resume ${one.id}`, two.id);
  assert.equal(answer.next?.open, one.id);
  assert.match(answer.text, /> the first thing\nheard: the first thing/);
  assert.equal((await chat.get(two.id))?.end_reason, "resumed_other");
});

test("without a conversation these commands say how to name one", async (t) => {
  const { slash, run } = slashWorld(t);
  for (const line of ["/undo", "/branch", "/archive", "/history"])
    assert.match((await slash(line)).text, /needs an open conversation\nagent --resume SESSION -z "/);
  const shell = await run("undo");
  assert.deepEqual([shell.code, /unknown command 'undo'/.test(shell.err)], [2, true]);
});
