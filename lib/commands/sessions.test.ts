import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { sessionWorld } from "../../fixtures/sim/session-cli.js";

test("list on a fresh home says that there is nothing", async (t) => {
  const { run } = sessionWorld(t);
  const { out, code } = await run("list");
  assert.match(out, /^No sessions yet/);
  assert.equal(code, 0);
  assert.deepEqual(JSON.parse((await run("list", "--json")).out), []);
});

test("list shows the newest activity first, and times as ISO 8601 in UTC for machines", async (t) => {
  const { run, make, clock } = sessionWorld(t);
  const one = await make("first thing");
  const two = await make("second thing", "/elsewhere");
  const lines = (await run("list", "--all-dirs")).out.trim().split("\n");
  assert.deepEqual(
    lines.map((line) => line.split("  ")[0]),
    [two.id, one.id],
  );
  const listed = JSON.parse((await run("list", "--all-dirs", "--json", "--limit", "1")).out);
  assert.equal(listed.length, 1);
  assert.equal(listed[0].last_active_at, new Date(clock.now()).toISOString());
  assert.equal(listed[0].preview, "second thing");
  assert.equal(JSON.parse((await run("list", "--json")).out)[0].id, one.id);
});

test("show takes an id, a beginning of it or the title, and says how many messages came before", async (t) => {
  const { run, make } = sessionWorld(t);
  const { id } = await make("the thing");
  assert.match((await run("show", "the thing")).out, new RegExp(`^${id}  the thing\\n`));
  assert.match((await run("show", id.slice(0, 12), "--last", "1")).out, /1 earlier messages/);
  const shown = JSON.parse((await run("show", id, "--json")).out);
  assert.deepEqual(
    shown.messages.map((message: { role: string; content: string }) => [message.role, message.content]),
    [
      ["user", "the thing"],
      ["assistant", "heard: the thing"],
    ],
  );
  const missing = await run("show", "nothing");
  assert.deepEqual([missing.code, /no such session: "nothing"/.test(missing.err)], [1, true]);
});

test("delete needs -y, exits 2 without it and then changes nothing", async (t) => {
  const { run, make, dir } = sessionWorld(t);
  const { id } = await make("quuxzebra");
  const asked = await run("delete", id);
  assert.equal(asked.code, 2);
  assert.match(asked.err, /-y/);
  assert.equal(JSON.parse((await run("list", "--json")).out).length, 1);
  const done = await run("delete", id, "-y");
  assert.equal(done.code, 0);
  assert.match(done.out, /^Deleted .*quuxzebra/);
  assert.match(done.err, /\/backup/);
  const files = readdirSync(dir, { recursive: true, encoding: "utf8" }).filter((name) =>
    statSync(join(dir, name)).isFile(),
  );
  for (const name of files) assert.equal(readFileSync(join(dir, name), "latin1").includes("quuxzebra"), false, name);
});

test("search finds sessions by words and phrases, without marks of the index, and says when nothing is there", async (t) => {
  const { run, make } = sessionWorld(t);
  const { id } = await make("fix the zebra parser");
  await make("something else");
  assert.match((await run("search", "zebra")).out, new RegExp(`^${id} .*fix the zebra parser`));
  assert.match((await run("search", "the zebra", "parser")).out, new RegExp(`^${id} `));
  assert.equal((await run("search", "parser zebra", "fix")).out, "No matches.\n");
  assert.equal(JSON.parse((await run("search", "zebra", "--json")).out)[0].session_id, id);
});

test("rename changes the title; a title in use is refused with the session that has it", async (t) => {
  const { run, make } = sessionWorld(t);
  const one = await make("one");
  const two = await make("two");
  assert.match((await run("rename", one.id, "my", "plan")).out, /my plan/);
  const refused = await run("rename", two.id, "my plan");
  assert.equal(refused.code, 1);
  assert.match(refused.err, new RegExp(one.id));
  assert.equal((await run("rename", two.id, "x".repeat(101))).code, 1);
});

test("export writes Markdown to the output, or to a file; all of them as JSON are one list", async (t) => {
  const { run, make, dir } = sessionWorld(t);
  const one = await make("one");
  await make("two");
  assert.match((await run("export", one.id)).out, /^# one\n.*## User.*## Assistant.*heard: one\n$/s);
  const written = await run("export", one.id, "--format", "jsonl", "-o", "out.jsonl", "--json");
  assert.equal(JSON.parse(written.out).file, join(dir, "out.jsonl"));
  assert.equal(readFileSync(join(dir, "out.jsonl"), "utf8").trim().split("\n").length, 3);
  assert.equal(JSON.parse((await run("export", "--all", "--format", "json")).out).length, 2);
  assert.equal((await run("export")).code, 2);
  assert.equal((await run("export", one.id, "--all")).code, 2);
});

const STEERING = "\u001b[31mred\u001b[0m \u001b]52;c;c3RvbGVu\u0007bell \u009b2Jend";

test("what a model wrote does not steer the terminal that shows it; a file and a program get it as it was", async (t) => {
  const { run, atTerminal, make } = sessionWorld(t);
  const { id } = await make(`look: ${STEERING}`);
  for (const words of [["show", id], ["export", id], ["search", "look"], ["list"]]) {
    const { out, err } = await atTerminal(...words);
    assert.doesNotMatch(out + err, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/, words.join(" "));
    assert.match(out, /look.*red/, words.join(" "));
  }
  assert.ok((await run("export", id)).out.includes(STEERING));
  const { messages } = JSON.parse((await atTerminal("show", id, "--json")).out);
  assert.equal(messages[0].content, `look: ${STEERING}`);
});
