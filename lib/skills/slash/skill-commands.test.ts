import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { proves } from "../../../fixtures/requirements.js";
import { holding, slashWorld } from "../../../fixtures/sim/slash-world.js";
import type { ChatOrigin } from "../../contracts/board/notify.js";
import type { ChatMember } from "../../contracts/chat/slash.js";

const MARK = "Count the sheep twice.";

function world(t: TestContext, options: Parameters<typeof slashWorld>[1] = {}) {
  const made = slashWorld(t, options);
  const skill = (name: string, body = MARK) => {
    mkdirSync(join(made.dir, "skills", name), { recursive: true });
    writeFileSync(
      join(made.dir, "skills", name, "SKILL.md"),
      `---\nname: ${name}\ndescription: about ${name}\n---\n${body}\n`,
    );
  };
  const bundle = (slug: string, text: string) => {
    mkdirSync(join(made.dir, "skill-bundles"), { recursive: true });
    writeFileSync(join(made.dir, "skill-bundles", `${slug}.yaml`), text);
  };
  skill("count_sheep");
  /** How often a text stands in the newest request. */
  const times = (text = MARK) => JSON.stringify(made.requests.at(-1)?.messages ?? []).split(text).length - 1;
  const uses = (name: string): unknown =>
    JSON.parse(readFileSync(join(made.dir, "skills", ".usage.json"), "utf8")).skills[name]?.uses;
  return { ...made, skill, bundle, times, uses };
}

test("/<skill> in a conversation sends one user message with the skill's text and the instruction, and counts the use", async (t) => {
  const { create, slash, sent, times, uses, events } = world(t);
  const { id } = await create();
  const ended = events(id, ({ event }) => event === "turn.ended");
  const answer = await slash("/count-sheep on  the left", id);
  assert.deepEqual([answer.exit, answer.text], [0, "Running /count-sheep."]);
  await ended;
  assert.equal(sent().length, 1);
  assert.match(sent()[0] ?? "", /^\[IMPORTANT: The user has invoked the "count_sheep" skill/);
  assert.match(sent()[0] ?? "", /on {2}the left$/);
  assert.deepEqual([times(), uses("count_sheep")], [1, 1]);
});

test("agent -z '/<skill> ...' prints what the model answered, in a new conversation", async (t) => {
  const { run, requests, times } = world(t, { reply: async () => "twelve" });
  const { code, out } = await run("-z", "/count-sheep now");
  assert.deepEqual([code, out, requests.length, times()], [0, "twelve\n", 1, 1]);
});

test("the name of a bundle is its command: one message with its instruction and the text of each skill", async (t) => {
  proves(t, "bundle.name");
  const { run, skill, bundle, sent, times, uses } = world(t);
  skill("dogs", "Feed the dogs.");
  bundle("x", "name: Farm Work\nskills: [count_sheep, dogs, gone]\ninstruction: Be quick.\n");
  const { code } = await run("-z", "/farm-work in the morning");
  assert.deepEqual([code, sent().length, times(), times("Feed the dogs.")], [0, 1, 1, 1]);
  assert.match(
    sent()[0] ?? "",
    /Skills missing \(skipped\): gone\nBundle instruction: Be quick\.\nUser instruction: in the morning\n/,
  );
  assert.deepEqual([uses("count_sheep"), uses("dogs")], [1, 1]);
});

test("a bundle of which nothing can be loaded is an error: no message, no conversation", async (t) => {
  const { run, bundle, requests, chat } = world(t);
  bundle("x", "skills: [gone]\n");
  const { code, err } = await run("-z", "/x");
  assert.deepEqual([code, requests.length, (await chat.list({})).length], [1, 0, 0]);
  assert.match(err, /no skill of the bundle x can be loaded\. Skills missing \(skipped\): gone/);
});

test("a built-in command wins over a bundle, and a bundle over a skill", async (t) => {
  const { run, skill, bundle, times } = world(t);
  skill("title", "Shear nothing.");
  skill("both", "Shear nothing.");
  bundle("title", "skills: [count_sheep]\n");
  bundle("both", "skills: [count_sheep]\n");
  await run("-z", "/both");
  assert.deepEqual([times(), times("Shear nothing.")], [1, 0]);
  const { out, err } = await run("-z", "/title --help");
  assert.doesNotMatch(out + err, /bundle|skill/);
});

test("while a turn runs a skill must wait, and nothing is queued", async (t) => {
  const { reply, asked, answer } = holding();
  const { create, slash, chat, say } = world(t, { reply });
  const { id } = await create();
  const turn = say(id, "hi");
  await asked;
  const refused = await slash("/count-sheep", id);
  assert.equal(refused.error?.code, "E_STATE");
  assert.match(refused.text, /\/count-sheep must wait until the turn has ended/);
  assert.deepEqual((await chat.queue(id)).items, []);
  answer("done");
  await turn;
});

test("a skill that appears is a command at once, one that goes is unknown", async (t) => {
  const { slash, skill, dir } = world(t);
  assert.match((await slash("/new-one")).text, /Unknown command/);
  skill("new-one");
  assert.match(
    (await slash("/help new-one")).text,
    /about new-one\n\/new-one \[instruction\]\nFrom the skill new-one\./,
  );
  rmSync(join(dir, "skills", "new-one"), { recursive: true });
  assert.match((await slash("/new-one")).text, /Unknown command/);
});

test("--skills stands in the prompt once, also after compaction, another model, resume and in a branch", async (t) => {
  const { run, chat, say, create, requests, times } = world(t);
  assert.equal((await run("-z", "hi", "--skills", "count_sheep")).code, 0);
  assert.equal(times(), 1);
  const { id } = await create({ skills: ["count-sheep"] });
  await say(id, "one");
  assert.equal(times(), 1);
  await chat.setModel(id, { model: "other" });
  await say(id, "two");
  for (const word of ["a", "b", "c"]) await say(id, `${word} `.repeat(4_000));
  await chat.compact(id, { keep: 1 });
  await say(id, "three");
  assert.equal(times(), 1);
  await chat.leave(id, "closed");
  const again = await run("-z", "four", "--resume", id);
  assert.deepEqual([again.code, times()], [0, 1]);
  const branch = await chat.fork(id, {});
  await say(branch.id, "five");
  assert.equal(times(), 1);
  assert.ok(requests.length >= 6);
});

test("--skills with --resume adds a skill to a conversation, whose prompt is made again", async (t) => {
  const { run, say, create, times, skill } = world(t);
  skill("dogs", "Feed the dogs.");
  const { id } = await create();
  await say(id, "one");
  assert.equal(times(), 0);
  await run("-z", "two", "--resume", id, "--skills", "count_sheep");
  assert.equal(times(), 1);
  await run("-z", "three", "--resume", id, "-s", "count_sheep,dogs");
  assert.deepEqual([times(), times("Feed the dogs.")], [1, 1]);
  await say(id, "four");
  assert.deepEqual([times(), times("Feed the dogs.")], [1, 1]);
});

test("an unknown skill of session.create is refused with the closest names, and nothing is created", async (t) => {
  const { create, chat } = world(t);
  await assert.rejects(create({ skills: ["count_shep"] }), {
    code: "E_USAGE",
    message: "unknown skill in --skills: 'count_shep'",
  });
  assert.deepEqual(await chat.list({}), []);
});

test("a skill that has gone since is left out of a new prompt, and the turn goes on", async (t) => {
  const { chat, say, create, times, dir } = world(t);
  const { id } = await create({ skills: ["count_sheep"] });
  rmSync(join(dir, "skills", "count_sheep"), { recursive: true });
  const notices: string[] = [];
  const result = await chat.submit({ session: id, text: "one", onNotice: ({ text }) => notices.push(text) });
  assert.deepEqual([result.completed, times()], [true, 0]);
  assert.match(notices.join("\n"), /the skill count_sheep is no longer available/);
  assert.equal((await say(id, "two")).completed, true);
});

test("agent bundles create, list, show, reload and delete answer people and programs", async (t) => {
  proves(t, "cli.bundles");
  const { run, dir, bundle } = world(t);
  const file = join(dir, "skill-bundles", "farm-work.yaml");
  const made = await run(
    "bundles",
    "create",
    "Farm Work",
    "-s",
    "count_sheep",
    "-s",
    "count_sheep",
    "-d",
    "for farms",
    "-i",
    "Be quick.",
  );
  assert.deepEqual([made.code, made.out], [0, `Created /farm-work: count_sheep (${file}).\n`]);
  const bytes = readFileSync(file);
  const again = await run("bundles", "create", "farm work", "-s", "count_sheep");
  assert.equal(again.code, 1);
  assert.match(again.err, /already exists[\s\S]*--force/);
  assert.deepEqual(readFileSync(file), bytes);
  assert.equal((await run("bundles", "create", "y", "-s", "nope")).code, 2);
  assert.equal((await run("bundles", "create", "y")).code, 1);
  bundle("broken", "name: [\n");
  const listed = await run("bundles", "list");
  assert.equal(listed.out, "/farm-work  for farms (1 skill)\n");
  assert.match(listed.err, /broken\.yaml: it is not valid YAML/);
  const json = JSON.parse((await run("bundles", "list", "--json")).out);
  assert.deepEqual([json.bundles[0].slug, json.bundles[0].missing, json.problems.length], ["farm-work", [], 1]);
  assert.match(
    (await run("bundles", "show", "farm work")).out,
    /\/farm-work {2}Farm Work\nfor farms\nSkills:\n {2}count_sheep\nInstruction:\n {2}Be quick\./,
  );
  assert.match((await run("bundles", "reload")).out, /1 read: \/farm-work/);
  const kept = await run("bundles", "delete", "farm-work");
  assert.deepEqual([kept.code, kept.out], [1, "Nothing was deleted; -y deletes farm-work without asking.\n"]);
  assert.equal((await run("bundles", "delete", "farm-work", "-y")).code, 0);
  assert.equal((await run("bundles", "show", "farm-work")).code, 1);
});

test("a skill that a rule asks about is not read for a member of a chat before a person has agreed; its owner's command is the agreement", async (t) => {
  const { create, slash, sent, events, bundle, dir } = world(t);
  bundle("x", "name: Farm\nskills: [count_sheep]\n");
  writeFileSync(join(dir, "permissions.yaml"), "ask:\n  - skill:count_*\n");
  const origin = { platform: "MSGT", chat_id: "1", user_id: "7" };
  const member = { group: false, tier: "member", allows: ["count-sheep", "farm"] } as const;
  const call = async (text: string, from?: ChatOrigin, as?: ChatMember) => {
    const { id } = await create();
    const ended = events(id, ({ event }) => event === "turn.ended");
    const answer = await slash(text, id, from, as);
    assert.equal(answer.exit, 0, answer.text);
    await ended;
    return sent().at(-1) ?? "";
  };
  for (const line of ["/count-sheep now", "/farm now"]) {
    const asked = await call(line, origin, member);
    assert.doesNotMatch(asked, /Count the sheep twice/);
    assert.match(asked, /a rule asks before it is read\. Call skill_view\(name="count_sheep"\) first/);
    assert.match(await call(line, origin, { ...member, tier: "admin" }), /Count the sheep twice/);
    assert.match(await call(line), /Count the sheep twice/);
  }
});
