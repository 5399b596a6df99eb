import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type TestContext, test } from "node:test";
import { type Ran, start } from "../../../fixtures/e2e/process.js";
import { world } from "../../../fixtures/e2e/world.js";
import { proves } from "../../../fixtures/requirements.js";

/** A user with an empty home, and `agent` on the path as an installation puts it there. */
function user(t: TestContext) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "user-")));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const dirs = {
    home: join(root, "home"),
    work: join(root, "work"),
    temporary: join(root, "tmp"),
    bin: join(root, "bin"),
  };
  for (const dir of Object.values(dirs)) mkdirSync(dir);
  const { bin }: { bin: Record<string, string> } = JSON.parse(readFileSync("package.json", "utf8"));
  for (const [name, file] of Object.entries(bin)) symlinkSync(resolve(file), join(dirs.bin, name));
  const env = { PATH: `${dirs.bin}:${process.env["PATH"]}`, HOME: dirs.home, TMPDIR: dirs.temporary };
  const agent = (args: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<Ran> =>
    start("agent", args, { env: { ...env, ...more }, cwd: dirs.work }).ended;
  return { ...dirs, agent, root };
}

/** Work that writes boards, sessions, settings and whatever else there is. */
async function workALittle(agent: (args: readonly string[]) => Promise<Ran>): Promise<void> {
  for (const args of [
    ["config", "set", "model.provider", "offline"],
    ["kanban", "create", "one"],
    ["-z", "hi"],
  ]) {
    const { code, err } = await agent(args);
    assert.equal(code, 0, `${args.join(" ")}: ${err}`);
  }
}

test("the program is started as agent", async (t) => {
  proves(t, "cli.program-name");
  const { agent } = user(t);
  assert.match((await agent(["--version"])).out, /^\d+\.\d+\.\d+\n$/);
  assert.match((await agent(["--help"])).out, /^agent: .*\n\nagent /);
});

test("without AGENT_HOME everything is written to .agent of the user's home, and nothing elsewhere", async (t) => {
  proves(t, "home.default-directory");
  const { agent, home, work, temporary } = user(t);
  await workALittle(agent);
  assert.deepEqual([readdirSync(home), readdirSync(work), readdirSync(temporary)], [[".agent"], [], []]);
  const written = readdirSync(join(home, ".agent"));
  for (const name of ["config.yaml", "kanban.db", "sessions.db"])
    assert.ok(written.includes(name), `${name} of ${written.join(", ")}`);
});

test("AGENT_HOME moves everything to the directory that it names", async (t) => {
  proves(t, "home.environment");
  const { agent, home, work, temporary, root } = user(t);
  const elsewhere = join(root, "elsewhere");
  await workALittle((args) => agent(args, { AGENT_HOME: elsewhere }));
  assert.deepEqual([readdirSync(home), readdirSync(work), readdirSync(temporary)], [[], [], []]);
  const written = readdirSync(elsewhere);
  for (const name of ["config.yaml", "kanban.db", "sessions.db"])
    assert.ok(written.includes(name), `${name} of ${written.join(", ")}`);
});

interface Listed {
  readonly id: string;
}

test("every conversation is there afterwards as a session on disk, unless it was to be kept in memory", async (t) => {
  proves(t, "chat.sessions.persisted");
  const { run, json, owner } = await world(t, { model: {} });
  const said = async () => {
    const sessions = await json<Listed[]>("sessions", "list");
    const shown = sessions.map(({ id }) =>
      json<{ messages: { role: string; content: string }[] }>("sessions", "show", id),
    );
    return (await Promise.all(shown))
      .map(({ messages }) => messages.map(({ role, content }) => `${role}: ${content}`).join(", "))
      .toSorted();
  };
  assert.equal((await run(["-z", "one"])).code, 0);
  assert.equal((await run(["chat", "-q", "two"])).code, 0);
  assert.equal((await run(["-z", "secretly", "--ephemeral"])).code, 0);
  const owning = await owner();
  assert.equal((await run(["-z", "three"])).code, 0);
  await owning.end();
  assert.deepEqual(
    await said(),
    ["one", "three", "two"].map((word) => `user: ${word}, assistant: You said: ${word}`),
  );
});

test("the profiles of a home share its boards, and each has its own conversations", async (t) => {
  proves(t, "board.multi-profile", "names.identifiers");
  const { run, json, home } = await world(t, { model: {} });
  mkdirSync(join(home.dir, "profiles", "work"), { recursive: true });
  const theirs = await json<Listed>("-p", "work", "kanban", "create", "theirs", "--assignee", "work");
  const mine = await json<Listed>("kanban", "create", "mine");
  await json("kanban", "boards", "create", "second");
  const apart = await json<Listed>("-p", "work", "kanban", "create", "apart", "--board", "second");
  const ids = async (...words: string[]) => new Set((await json<Listed[]>(...words)).map(({ id }) => id));
  for (const who of [[], ["-p", "work"]]) {
    assert.deepEqual(await ids(...who, "kanban", "list"), new Set([theirs.id, mine.id]));
    assert.deepEqual(await ids(...who, "kanban", "list", "--board", "second"), new Set([apart.id]));
    assert.equal((await json<{ task: Listed }>(...who, "kanban", "show", mine.id)).task.id, mine.id);
  }
  assert.equal((await run(["-p", "work", "-z", "hello", "-m", "offline-1", "--provider", "offline"])).code, 0);
  const [session] = await ids("-p", "work", "sessions", "list");
  assert.ok(session);
  assert.equal((await run(["-p", "work", "sessions", "show", session])).code, 0);
  assert.equal((await ids("sessions", "list")).size, 0);
});
