import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Reply } from "../../../fixtures/servers/model/script.js";
import { startModelServer } from "../../../fixtures/servers/model/server.js";
import { chatWorld } from "../../../fixtures/sim/chat-world.js";
import { silentLog } from "../../base/log/log.js";
import type { SessionId } from "../../base/units.js";
import { runSlash, type SlashServices } from "../../cli/run-slash.js";
import { COMMANDS } from "../../commands/index.gen.js";
import type { CheckpointDiff, CheckpointRow, RestoreReport } from "../../contracts/owner/checkpoints.js";
import { checkpointMethods } from "./checkpoint-methods.js";

const write = (path: string, content: string): Reply => ({
  tool_calls: [{ name: "write_file", arguments: { path, content } }],
});
const DONE: Reply = { text: "done" };

/** A conversation in a project, with its slash commands. */
async function setup(t: TestContext, replies: readonly Reply[], config = "checkpoints: { enabled: true }\n") {
  const server = await startModelServer({ script: { replies }, auxiliary: false });
  t.after(() => server.close());
  const world = await chatWorld(t, {
    config: `model: { provider: custom, base_url: "${server.url}", default: m, context_length: 64000 }\n${config}`,
  });
  writeFileSync(join(world.work, "Makefile"), "all:\n");
  const session = await world.open();
  const { chat, checkpoints, home } = world;
  const services = {
    home,
    chat,
    checkpoints,
    config: world.config,
    log: silentLog,
    cwd: world.work,
    env: {},
    columns: 80,
    color: false,
  };
  const signal = new AbortController().signal;
  const slash = (text: string, of: SessionId | undefined = session.id, cwd = world.work) =>
    runSlash({ text, session: of }, { ...services, cwd, signal } as unknown as SlashServices, COMMANDS); // these commands use neither board nor owner
  const waiting = (text: string) =>
    runSlash({ text, session: session.id, waits: true }, { ...services, signal } as unknown as SlashServices, COMMANDS); // as above
  const get = (path: string) => readFileSync(join(world.work, path), "utf8");
  const messages = async () => (await chat.messages(session.id)).filter(({ active }) => active).length;
  return { world, session, slash, waiting, get, messages, say: (text: string) => world.say(session, text) };
}

test("/rollback lists, shows and brings back, and tells which exchanges came after", async (t) => {
  const { slash, get, say, messages } = await setup(t, [
    write("a.txt", "1\n"),
    DONE,
    write("a.txt", "2\n"),
    DONE,
    DONE,
  ]);
  await say("first");
  await say("second   with\nlines");
  await say("third");
  const list = await slash("/rollback");
  assert.match(list.text, /^- [0-9a-f]{8} .* after turn 2 \(0 files, \+0\/-0\)$/m);
  assert.match(list.text, /^1\. [0-9a-f]{8} .* before write_file, after turn 1 \(1 file, \+1\/-1\)$/m);
  assert.match(list.text, /^2\. [0-9a-f]{8} .* before write_file \(1 file, \+1\/-0\)$/m);
  assert.match((await slash("/rollback diff 2")).text, /remove a\.txt/);
  const back = await slash("/rollback 1");
  assert.equal(back.exit, 0, back.text);
  assert.equal(get("a.txt"), "1\n");
  assert.match(
    back.text,
    /2 exchanges of this conversation came after it:\n {2}second with lines\n {2}third\n\/undo 2 --chat removes them/,
  );
  assert.deepEqual(back.next, { compose: "/undo 2 --chat" });
  assert.equal(await messages(), 10);
});

test("what /undo says of files that stay puts them back, although an earlier exchange changed the same file", async (t) => {
  const { slash, waiting, get, say, messages } = await setup(t, [write("a.txt", "1"), DONE, write("a.txt", "2"), DONE]);
  await say("first");
  await say("second");
  const undone = await waiting("/undo");
  assert.deepEqual([get("a.txt"), await messages()], ["2", 4]);
  const told = undone.text.split("\n").find((line) => line.includes("1 file left unchanged")) ?? "";
  for (const [advice] of told.matchAll(/\/(undo|redo)( --[a-z]+)?/g)) await slash(advice);
  assert.deepEqual([get("a.txt"), await messages()], ["1", 4]);
});

test("/rollback --chat hides the exchanges that came after, and /redo brings them back", async (t) => {
  const { slash, get, say, messages } = await setup(t, [write("a.txt", "1"), DONE, write("a.txt", "2"), DONE]);
  await say("first");
  await say("second");
  const back = await slash("/rollback 1 --chat");
  assert.equal(back.exit, 0, back.text);
  assert.deepEqual([get("a.txt"), await messages()], ["1", 4]);
  assert.deepEqual(back.next, { compose: "second" });
  await slash("/redo");
  assert.equal(await messages(), 8);
});

test("/rollback of one file leaves the others and the conversation", async (t) => {
  const { slash, get, say, messages } = await setup(t, [
    { tool_calls: ["a.txt", "b.txt"].map((path) => ({ name: "write_file", arguments: { path, content: "2" } })) },
    DONE,
  ]);
  await say("go");
  const back = await slash("/rollback 1 a.txt --chat");
  assert.equal(back.exit, 0, back.text);
  assert.deepEqual([get("b.txt"), await messages()], ["2", 5]);
});

test("what others changed makes /rollback say so and end with 1, until it is forced", async (t) => {
  const { world, slash, get, say } = await setup(t, [write("a.txt", "1"), DONE]);
  writeFileSync(join(world.work, "a.txt"), "0");
  await say("go");
  writeFileSync(join(world.work, "a.txt"), "mine");
  const refused = await slash("/rollback 1");
  assert.deepEqual([refused.exit, get("a.txt")], [1, "mine"]);
  assert.match(refused.text, /a\.txt: changed outside the agent; --force restores it too/);
  const [id = ""] = /[0-9a-f]{8}/.exec((await slash("/rollback diff 1")).text) ?? [];
  assert.ok(id !== "");
  const rows = await world.checkpoints.list({ directory: world.work });
  const oldest = rows.at(-1);
  assert.equal((await slash(`/rollback ${oldest?.id} --force`)).exit, 0);
  assert.equal(get("a.txt"), "0");
});

test("/checkpoint keeps the state with a note, from wherever in the project", async (t) => {
  const { world, slash } = await setup(t, []);
  mkdirSync(join(world.work, "sub"));
  const made = await slash("/checkpoint before the big change", undefined, join(world.work, "sub"));
  assert.match(made.text, /^Checkpoint [0-9a-f]{8} of .*\/work: 1 file\.$/);
  assert.match((await slash("/rollback")).text, /1\. [0-9a-f]{8} .* manual: before the big change/);
  assert.match((await slash("/checkpoint again")).text, /^Unchanged since/);
  // A chat on a platform has no directory of its own: that of the conversation counts.
  assert.match((await slash("/rollback", undefined, world.home.dir)).text, /1\. [0-9a-f]{8} .* manual: again/);
});

const WRONG: readonly { line: string; exit: number; says: RegExp }[] = [
  { line: "/rollback 7", exit: 1, says: /no such checkpoint: 7 of .*\n.*--checkpoints/ },
  { line: "/rollback diff", exit: 2, says: /missing checkpoint/ },
  { line: "/rollback 1 a b", exit: 2, says: /too many arguments/ },
  { line: "/rollb", exit: 2, says: /Type \/rollback in full/ },
];

for (const { line, exit, says } of WRONG) {
  test(`${line} without a checkpoint is refused with what to do`, async (t) => {
    const { slash } = await setup(t, [], "");
    const answer = await slash(line);
    assert.equal(answer.exit, exit, answer.text);
    assert.match(answer.text, says);
  });
}

test("/rollback says how to switch checkpoints on while they are off, and creates nothing", async (t) => {
  const { world, slash } = await setup(t, [], "");
  const answer = await slash("/rollback");
  assert.match(answer.text, /No checkpoints of .*\n.*--checkpoints.*checkpoints\.enabled/);
  assert.equal(existsSync(join(world.home.dir, "checkpoints")), false);
});

test("front ends list, compare and restore over their methods", async (t) => {
  const { world, session, get, say } = await setup(t, [write("a.txt", "2"), DONE]);
  writeFileSync(join(world.work, "a.txt"), "1");
  await say("go");
  const methods = checkpointMethods(world.checkpoints);
  const call = async <T>(name: string, params: object): Promise<T> => {
    const method = methods.get(name);
    assert.ok(method);
    return (await method.run(
      method.params.parse(params),
      { signal: new AbortController().signal } as never,
      {} as never,
    )) as T; // these use neither client nor call
  };
  const sub = join(world.work, "anything/below");
  const rows = await call<CheckpointRow[]>("checkpoint.list", { directory: sub });
  assert.deepEqual(
    rows.map(({ n }) => n),
    [null, 1],
  );
  const diff = await call<CheckpointDiff>("checkpoint.diff", { which: "1", directory: sub });
  assert.deepEqual(
    diff.changes.map(({ path, change }) => [path, change]),
    [["a.txt", "change"]],
  );
  const report = await call<RestoreReport>("checkpoint.restore", { which: rows[1]?.id, session_id: session.id });
  assert.deepEqual([report.restored, get("a.txt")], [["a.txt"], "1"]);
});
