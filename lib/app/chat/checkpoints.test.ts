import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Reply } from "../../../fixtures/servers/model/script.js";
import { startModelServer } from "../../../fixtures/servers/model/server.js";
import { chatWorld, type Said } from "../../../fixtures/sim/chat-world.js";
import { digestOf } from "../../../fixtures/sim/checkpoint-world.js";
import { systemClock } from "../../base/time/clock.js";
import { openTranscript } from "../../chat/transcript/transcript.js";
import { filesChanged } from "../../chat/turn/file-watch.js";

type Call = readonly [name: string, args: Readonly<Record<string, unknown>>];

const calls = (...all: readonly Call[]): Reply => ({
  tool_calls: all.map(([name, args]) => ({ name, arguments: args })),
});
const write = (path: string, content: string): Call => ["write_file", { path, content }];
const shell = (command: string, more: object = {}): Call => ["terminal", { command, ...more }];

/** A conversation in an empty project whose checkpoints are on. */
async function setup(t: TestContext, replies: readonly Reply[], more = "checkpoints: { enabled: true }\n") {
  const server = await startModelServer({ script: { replies }, auxiliary: false });
  t.after(() => server.close());
  const world = await chatWorld(t, {
    config: `model: { provider: custom, base_url: "${server.url}", default: m, context_length: 64000 }\n${more}`,
  });
  writeFileSync(join(world.work, "Makefile"), "all:\n");
  const session = await world.open();
  const rows = () => world.checkpoints.list({ directory: world.work });
  const get = (path: string) => readFileSync(join(world.work, path), "utf8");
  return { world, session, rows, get, say: (text = "go") => world.say(session, text) };
}

const seen = ({ events }: Said, name: string) => events.filter(({ event }) => event === name).map(({ data }) => data);

test("a turn that created, changed, patched, deleted and shell-changed files is undone with its chat, and redone", async (t) => {
  const { world, session, say } = await setup(t, [
    calls(write("made.txt", "new\n"), write("changed.txt", "after\n")),
    calls(
      ["patch", { path: "patched.txt", old_string: "two", new_string: "TWO" }],
      ["patch", { mode: "patch", patch: "*** Delete File: deleted.txt" }],
    ),
    calls(
      shell(
        "mkdir -p sub/deep && echo x > sub/deep/f && chmod 755 changed.txt && ln -s made.txt link && rm -r old && echo more >> shell.txt",
      ),
    ),
    { text: "done" },
  ]);
  for (const [path, text] of [
    ["changed.txt", "before\r\n"],
    ["patched.txt", "one\ntwo\n"],
    ["deleted.txt", "d"],
    ["shell.txt", "s\n"],
  ] as const)
    writeFileSync(join(world.work, path), text);
  await world.prepare("old/x", "o");
  const before = digestOf(world.work);
  const said = await say();
  assert.equal(said.result.completed, true);
  const after = digestOf(world.work);
  assert.notDeepEqual(after, before);
  const made = seen(said, "checkpoint.made").map(({ reason }) => reason);
  assert.deepEqual(
    made.map((reason) => String(reason).slice(0, 15)),
    ["before write_fi", "before patch", "before terminal", "after turn 1"],
  );
  const undone = await world.chat.undo(session.id, 1, "both");
  assert.deepEqual([undone.files?.skipped, undone.text], [[], "go"]);
  assert.deepEqual(digestOf(world.work), before);
  await world.chat.redo(session.id);
  assert.deepEqual(digestOf(world.work), after);
});

test("calls that only read, and calls that are denied, make no checkpoint", async (t) => {
  const { rows, say } = await setup(t, [
    calls(shell("ls -la && git status"), ["read_file", { path: "Makefile" }], write("/etc/x", "no")),
    { text: "done" },
  ]);
  await say();
  assert.deepEqual(await rows(), []);
});

test("one checkpoint stands before all changing calls of a round, and each directory has its own", async (t) => {
  const { world, rows, say } = await setup(t, [
    calls(write("a.txt", "1"), write("b.txt", "1"), shell("echo 2 > c.txt"), write("../other/sub/x.txt", "1")),
    { text: "done" },
  ]);
  await world.prepare("../other/package.json", "{}");
  await say();
  const other = join(world.work, "../other");
  assert.deepEqual(
    (await rows()).map(({ n, reason }) => [n, reason]),
    [
      [null, "after turn 1"],
      [1, "before write_file"],
    ],
  );
  const there = await world.checkpoints.list({ directory: other });
  assert.deepEqual(
    there.map(({ n }) => n),
    [null, 1],
  );
  await world.checkpoints.restore({ which: "1", directory: other });
  assert.equal(existsSync(join(other, "sub")), false);
});

test("the round of a later change has a checkpoint of its own that brings back the middle of a turn", async (t) => {
  const { world, get, say } = await setup(t, [
    calls(write("a.txt", "1")),
    calls(write("a.txt", "2")),
    { text: "done" },
  ]);
  await say();
  await world.checkpoints.restore({ which: "1", directory: world.work });
  assert.equal(get("a.txt"), "1");
  assert.equal(existsSync(join(world.home.dir, "checkpoints/store/layout")), true);
});

test("a store that cannot be written costs a notice, not the call", async (t) => {
  const { world, get, say } = await setup(t, [calls(write("a.txt", "1"), write("b.txt", "1")), { text: "done" }]);
  writeFileSync(join(world.home.dir, "checkpoints"), "no directory");
  const said = await say();
  assert.equal(said.result.completed, true);
  assert.deepEqual([get("a.txt"), get("b.txt")], ["1", "1"]);
  const notices = seen(said, "notice").filter(({ code }) => code === "no_checkpoint");
  assert.equal(notices.length, 1);
  assert.match(String(notices[0]?.["text"]), /^No checkpoint was made before this step: /);
});

test("nothing is kept while checkpoints are off, and --checkpoints keeps it for its session", async (t) => {
  const { world, rows, say } = await setup(
    t,
    [calls(write("a.txt", "1")), { text: "done" }, calls(write("a.txt", "2")), { text: "done" }],
    "",
  );
  await say();
  assert.equal(existsSync(join(world.home.dir, "checkpoints")), false);
  const wanted = await world.open({ checkpoints: true });
  await world.say(wanted, "go");
  assert.equal((await rows()).length, 2);
});

test("the lineage remembers what it changed, with what it left there, also what a shell changed", async (t) => {
  const { world, session, say } = await setup(t, [
    calls(write("a.txt", "1")),
    calls(shell("echo x > b.txt; rm Makefile")),
    { text: "done" },
  ]);
  await say();
  const record = filesChanged(
    await openTranscript({ store: world.store, clock: systemClock }, session).record("files_changed"),
  );
  const hash = (text: string) => createHash("sha256").update(text).digest("hex");
  const wanted = {
    [join(world.work, "a.txt")]: hash("1"),
    [join(world.work, "b.txt")]: hash("x\n"),
    [join(world.work, "Makefile")]: "absent",
  };
  assert.deepEqual(record, wanted);
});

test("what a child changed comes back with the turn that sent it", async (t) => {
  const { world, session, get, say } = await setup(t, [
    calls(["delegate_task", { tasks: [{ goal: "write it" }] }]),
    calls(write("a.txt", "child")),
    { text: "child done" },
    { text: "done" },
  ]);
  writeFileSync(join(world.work, "a.txt"), "mine");
  const said = await say();
  assert.equal(get("a.txt"), "child", JSON.stringify(said.result));
  const { files } = await world.chat.undo(session.id, 1, "files");
  assert.deepEqual(files?.skipped, []);
  assert.equal(get("a.txt"), "mine");
});

test("a program has a checkpoint before it runs, and what its calls and itself change comes back", async (t) => {
  const code =
    'import { writeFileSync } from "node:fs"; import { write_file } from "agent-tools"; writeFileSync("own.txt", "2"); await write_file({ path: "a.txt", content: "2" });';
  const { world, session, get, say } = await setup(t, [
    calls(["execute_code", { language: "javascript", code }]),
    { text: "done" },
  ]);
  writeFileSync(join(world.work, "a.txt"), "1");
  const said = await say();
  const results = (await world.chat.messages(session.id))
    .filter(({ role }) => role === "tool")
    .map(({ content }) => content);
  assert.equal(get("a.txt"), "2", results.join());
  const reasons = seen(said, "checkpoint.made").map(({ reason }) => String(reason));
  assert.match(reasons[0] ?? "", /^before execute_code/);
  const { files } = await world.chat.undo(session.id, 1, "files");
  assert.deepEqual([files?.skipped, get("a.txt"), existsSync(join(world.work, "own.txt"))], [[], "1", false]);
});
