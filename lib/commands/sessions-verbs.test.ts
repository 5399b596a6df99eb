import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { slashWorld } from "../../fixtures/sim/slash-world.js";

const DAY_MS = 24 * 60 * 60_000;

test("C53: a question prints how to go on, and going on sends both exchanges", async (t) => {
  const { run, sent } = slashWorld(t);
  const first = await run("chat", "-q", "hi");
  const id = /resume with: agent --resume (\S+)/.exec(first.err)?.[1] ?? assert.fail(first.err);
  const again = await run("--resume", id, "-z", "again");
  assert.deepEqual([again.code, again.out, again.err], [0, "heard: again\n", ""]);
  assert.deepEqual(sent(), ["hi", "heard: hi", "again"]);
});

test("C64: every verb of sessions does what it says to one session", async (t) => {
  const { create, say, run } = slashWorld(t);
  const { id } = await create();
  await say(id, "the zebra one");
  await say(id, "two");
  const json = async (...argv: string[]) => JSON.parse((await run("sessions", ...argv, "--json")).out);
  assert.equal((await json("rename", id, "stripes")).title, "stripes");
  const fork = await json("fork", id);
  assert.deepEqual([fork.title, fork.relation, fork.message_count], ["stripes #2", "branch", 4]);
  const [first] = (await json("show", id)).messages;
  assert.equal((await json("fork", id, "--at", String(first.id), "--title", "early")).message_count, 1);
  assert.equal((await json("archive", id)).archived, true);
  const ids = async (...argv: string[]) => (await json("list", ...argv)).map((one: { id: string }) => one.id);
  assert.equal((await ids()).includes(id), false);
  assert.deepEqual(await ids("--archived"), [id]);
  assert.equal((await json("unarchive", id)).archived, false);
  assert.equal((await ids()).includes(id), true);
  const { out } = await run("sessions", "export", id, "--format", "md");
  for (const text of ["the zebra one", "heard: the zebra one", "two", "heard: two"])
    assert.equal(out.split(`\n${text}\n`).length, 2, text);
  assert.equal((await json("search", "zebra"))[0].session_id, id);
  assert.equal((await json("delete", id, "-y")).deleted, id);
  assert.equal((await ids("--archived")).length, 0);
  assert.equal((await run("sessions", "show", id)).code, 1);
  assert.deepEqual(await json("check"), { ok: true, findings: [] });
});

test("-c goes on with the newest session of this directory, else of all, and says so", async (t) => {
  const { create, run, chat, dir } = slashWorld(t);
  const nothing = await run("-c", "-z", "hi");
  assert.deepEqual([nothing.code, /no session to continue/.test(nothing.err)], [1, true]);
  const elsewhere = await create({ cwd: "/elsewhere", title: "far" });
  const far = await run("-z", "one", "-c");
  assert.match(far.err, new RegExp(`no session in this directory; continuing ${elsewhere.id} \\(far\\)`));
  const here = await create({ title: "near" });
  await create({ cwd: dir, source: "worker" });
  await create({ cwd: "/elsewhere" });
  await run("-c", "-z", "two");
  const texts = async (id: typeof here.id) => (await chat.messages(id)).map(({ content }) => content);
  assert.deepEqual(await texts(here.id), ["two", "heard: two"]);
  await run("-z", "three", "--continue", "near");
  assert.equal((await texts(here.id)).length, 4);
  assert.equal((await run("-c", "near", "-r", "far", "-z", "x")).code, 2);
});

test("an ambiguous beginning of an id exits 2 with the candidates, and a title stands for its newest number", async (t) => {
  const { create, run } = slashWorld(t);
  const one = await create({ title: "work" });
  const two = await create({ title: "work #2" });
  const ambiguous = await run("--resume", "2026", "-z", "hi");
  assert.equal(ambiguous.code, 2);
  assert.match(ambiguous.err, new RegExp(`${two.id}, ${one.id}`));
  assert.match((await run("chat", "-q", "hi", "--resume", "work")).err, new RegExp(two.id));
});

test("prune tells what it would delete, deletes ended sessions alone, and only old ones", async (t) => {
  const { create, say, run, chat, clock } = slashWorld(t);
  const ended = await create();
  await say(ended.id, "old");
  await chat.leave(ended.id, "closed");
  const open = await create();
  await say(open.id, "open");
  clock.advance(100 * DAY_MS);
  const fresh = await create();
  await say(fresh.id, "fresh");
  await chat.leave(fresh.id, "closed");
  const told = await run("sessions", "prune", "--older-than", "90");
  assert.match(told.out, new RegExp(`^${ended.id} .*\n1 session would be deleted permanently; -y deletes them\\.\n$`));
  assert.equal((await chat.list({})).length, 3);
  assert.match((await run("sessions", "prune", "--source", "cron", "-y")).out, /No ended session has been inactive/);
  assert.match((await run("sessions", "prune", "-y")).out, /Deleted 1 session\./);
  assert.deepEqual(
    (await chat.list({})).map(({ id }) => id),
    [fresh.id, open.id],
  );
});

test("automatic pruning is off until it is asked for, keeps its interval and its days", async (t) => {
  const settings: Record<string, unknown> = {};
  const { create, say, chat, clock } = slashWorld(t, { settings });
  const make = async () => {
    const { id } = await create();
    await say(id, "x");
    await chat.leave(id, "closed");
  };
  await make();
  clock.advance(91 * DAY_MS);
  assert.equal(await chat.autoPrune(), 0);
  settings["sessions.auto_prune"] = true;
  assert.equal(await chat.autoPrune(), 1);
  await make();
  settings["sessions.retention_days"] = 1;
  clock.advance(DAY_MS - 1 - 60_000);
  assert.equal(await chat.autoPrune(), 0);
  clock.advance(DAY_MS);
  assert.equal(await chat.autoPrune(), 1);
});

test("a conversation of a person gets a title from the model after its answer, a named one keeps its own", async (t) => {
  const asked: string[] = [];
  const aux = {
    state: async () => "usable" as const,
    ask: async ({ user }: { user: string }) => {
      asked.push(user);
      return { ok: true as const, text: '"Title: Zebras of the plain"' };
    },
  };
  const { create, say, chat, events } = slashWorld(t, { deps: { aux } });
  const talk = await create({ source: "workspace" });
  const titled = events(
    talk.id,
    (event) => event.event === "session.info" && event.data["title"] === "Zebras of the plain",
  );
  await say(talk.id, `tell me of zebras ${"x".repeat(600)}`);
  assert.match((await chat.get(talk.id))?.title ?? "", /^(tell me of zebras|Zebras)/); // the answer does not wait for it
  await titled;
  assert.equal(asked.length, 1);
  assert.match(asked[0] ?? "", /^User: tell me of zebras x{482}\n\nAssistant: heard: /);
  for (const more of [{ source: "workspace", title: "mine" }, { source: "cli" }] as const) {
    const { id } = await create(more);
    await say(id, "hello there");
    assert.equal((await chat.get(id))?.title, more.source === "cli" ? "hello there" : "mine");
  }
  await chat.stop();
  assert.equal(asked.length, 1);
});

test("with write_json a copy of each session is kept up to date", async (t) => {
  const { create, say, chat, dir } = slashWorld(t, { settings: { "sessions.write_json": true } });
  const { id } = await create();
  for (const text of ["one", "two"]) await say(id, text);
  await chat.stop();
  const copy = JSON.parse(readFileSync(join(dir, "sessions", `session_${id}.json`), "utf8"));
  assert.equal(copy.messages.length, 4);
});

test("the list takes words of a title, and a verb that is none is not taken for success", async (t) => {
  const { create, run, slash } = slashWorld(t);
  const { id } = await create({ title: "Zebra talk" });
  await create({ title: "other" });
  assert.match((await run("sessions", "list", "zebra")).out, new RegExp(`^${id} .*Zebra talk\n$`));
  assert.match((await slash("/sessions zebra")).text, new RegExp(`^${id} .*Zebra talk$`));
  const wrong = await run("sessions", "lst");
  assert.deepEqual([wrong.code, /lists the commands/.test(wrong.out)], [1, true]);
});

test("a look at the goal of a new conversation leaves no empty session behind", async (t) => {
  const { run, chat } = slashWorld(t);
  assert.equal((await run("-z", "/goal")).code, 0);
  assert.deepEqual(await chat.list({}), []);
});

test("the help of sessions lists the verbs, as the answer to a verb that is none says", async (t) => {
  const { run } = slashWorld(t);
  const { out } = await run("sessions", "--help");
  for (const verb of ["archive", "export", "prune", "search"]) assert.match(out, new RegExp(`agent sessions ${verb} `));
  assert.doesNotMatch((await run("sessions", "list", "--help")).out, /sessions prune/);
});

const BAD: readonly (readonly [line: readonly string[], says: string])[] = [
  [["sessions", "list", "--limit", "0"], "--limit must be at least 1, not 0"],
  [["sessions", "list", "--limit", "5000"], "--limit must be at most 1000, not 5000"],
  [["sessions", "list", "--limit", "1.5"], "--limit must be a whole number, not 1.5"],
  [["sessions", "search", ""], "missing search words"],
  [["insights", "x"], "<period> must be a number, not 'x'"],
  [["permissions", "mode", "bogus"], "<mode> must be one of manual, smart, off, not 'bogus'"],
];
for (const [line, says] of BAD) {
  test(`${line.join(" ")} exits 2 and says: ${says}`, async (t) => {
    const { code, err } = await slashWorld(t).run(...line);
    assert.deepEqual([code, err.split("\n")[0]], [2, `agent: ${says}`]);
  });
}

const WRONG: readonly (readonly [line: readonly string[], says: RegExp])[] = [
  [["--deny", "nope("], /--deny 'nope\(': not a command/],
  [["--allow", ""], /--allow '': an empty rule/],
  [["--max-turns", "0"], /--max-turns must be a whole number of at least 1, not 0/],
  [["--max-turns", "1.5"], /--max-turns must be a whole number/],
  [["--max-cost", "-1"], /--max-cost must be greater than 0/],
  [["--skills", "nosuch"], /unknown skill in --skills: 'nosuch'/],
  [["--skills", "nosuch,../skills", "-s", ""], /unknown skill in --skills: 'nosuch', '..\/skills', ''/],
  [["--provider", "p"], /--provider needs --model/],
];
for (const [line, says] of WRONG) {
  for (const prompt of ["hi", "/goal"]) {
    test(`${line.join(" ")} is refused before ${prompt} begins, not left out`, async (t) => {
      const { run, requests } = slashWorld(t);
      const { code, err } = await run("-z", prompt, ...line);
      assert.deepEqual([code, requests.length], [2, 0]);
      assert.match(err, says);
    });
  }
}

test("the list is of this directory, --all-dirs is of every one, and an empty one says that others have some", async (t) => {
  const { create, run, slash } = slashWorld(t);
  const far = await create({ cwd: "/elsewhere", title: "far" });
  assert.match((await run("sessions", "list")).out, /^No sessions yet in this directory\. --all-dirs lists/);
  assert.match(
    (await run("sessions", "list", "far")).out,
    /^No session in this directory with "far" in its title; --all-dirs lists sessions of other/,
  );
  const near = await create({ title: "near" });
  const newest = await create({ cwd: "/elsewhere", title: "newest" });
  const ids = async (...argv: string[]) =>
    JSON.parse((await run("sessions", ...argv, "--json")).out).map((one: { id: string }) => one.id);
  assert.deepEqual(await ids(), [near.id]);
  assert.deepEqual(await ids("list", "--all-dirs"), [newest.id, near.id, far.id]);
  assert.deepEqual(await ids("browse"), [near.id, newest.id, far.id]);
  const order = new RegExp(`^${near.id}.* near\n${newest.id}.* newest  \\(/elsewhere\\)\n${far.id}`);
  for (const line of ["/resume", "/switch"]) assert.match((await slash(line)).text, order);
});

test("stats count what is there", async (t) => {
  const { create, say, run, slash } = slashWorld(t);
  const { id } = await create();
  await say(id, "one");
  await say(id, "two");
  await slash("/undo", id);
  const stats = JSON.parse((await run("sessions", "stats", "--json")).out);
  assert.deepEqual([stats.lineages, stats.messages, stats.hidden, stats.by_source], [1, 4, 2, { cli: 1 }]);
  assert.match(
    (await run("sessions", "stats")).out,
    /^1 conversation in 1 session, 0 archived\n4 messages, 2 of them undone/,
  );
});
