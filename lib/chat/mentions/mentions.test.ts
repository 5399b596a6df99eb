import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { chatOwner } from "../../../fixtures/sim/chat-owner.js";
import { COMMANDS } from "../../commands/index.gen.js";
import { runWith } from "../../rpc/commands/command-services.js";
import { mentionsIn } from "./find.js";

const FOUND: readonly (readonly [text: string, paths: readonly (readonly string[])[]])[] = [
  ["see @file:a.ts please", [["a.ts"]]],
  ["see (@file:a.ts).", [["a.ts).", "a.ts"]]],
  ["see @file:a.ts:3-9, then", [["a.ts:3-9,", "a.ts:3-9", "a.ts 3-9"]]],
  ['@file:"a b.ts":7 and @folder:src', [["a b.ts 7-7"], ["src"]]],
  ["@file:a.ts and again @file:a.ts", [["a.ts"]]],
  ["mail me@file:a.ts, `@file:a.ts`, @@file:a.ts, @file:", []],
  ["as in\n```\n@file:a.ts\n```\nbut @file:b.ts", [["b.ts"]]],
  ["as in\n````\n```\n@file:a.ts\n````\nend", []],
];

for (const [text, paths] of FOUND)
  test(`mentions are found where a user means them: ${JSON.stringify(text)}`, () => {
    const shown = mentionsIn(text).map(({ forms }) =>
      forms.map(({ name, from, to }) => (from === undefined ? name : `${name} ${from}-${to}`)),
    );
    assert.deepEqual(shown, paths);
  });

const SRC = "one\ntwo\nthree\nfour\n";

async function setup(t: TestContext, model = "") {
  const owner = await chatOwner(t, { prepared: true, script: () => ({ text: "seen" }), model });
  mkdirSync(join(owner.work, "src/deep"), { recursive: true });
  writeFileSync(join(owner.work, "src/lex.ts"), SRC);
  const asked = () =>
    String(
      owner.model
        .chats()
        .at(-1)
        ?.body?.messages?.findLast((one) => one.role === "user")?.content,
    );
  const noticesOf = async (id: string) =>
    (await owner.events(id as never)).filter(({ event }) => event === "notice").map(({ data }) => String(data["text"]));
  return { owner, asked, noticesOf };
}

test("a file that a message mentions stands behind its text, whole, in parts, or a folder by its names", async (t) => {
  const { owner, asked } = await setup(t);
  await owner.ask("mend @file:src/lex.ts, see @file:src/lex.ts:2-3 and @folder:src");
  const text = asked();
  assert.match(text, /^mend @file:src\/lex\.ts, see @file:src\/lex\.ts:2-3 and @folder:src\n\n/);
  assert.ok(text.includes("[File src/lex.ts: 4 lines]\n```\none\ntwo\nthree\nfour\n```"), text);
  assert.ok(text.includes("[File src/lex.ts: lines 2-3 of 4]\n```\ntwo\nthree\n```"), text);
  assert.ok(text.includes("[Folder src: 2 entries]\n```\ndeep/\nlex.ts\n```"), text);
});

test("agent chat -q, -z with standard input, and turn.submit put mentioned files into the message; what came by the pipe stays what it is", async (t) => {
  const { owner, asked } = await setup(t);
  const out: string[] = [];
  const io = {
    out: async (text: string) => void out.push(text),
    err: async (text: string) => void out.push(text),
    bytes: async () => undefined,
    stdin: async () => "```\n@file:src/lex.ts\n",
    pipeExit: () => undefined,
    client: {},
    interrupted: new AbortController().signal,
    gone: new AbortController().signal,
  };
  const run = (...argv: string[]) =>
    runWith(owner.app, COMMANDS)(
      { argv, cwd: owner.work, env: {}, columns: 80, color: false, is_tty: false } as never,
      io as never,
    );
  assert.deepEqual(await run("chat", "-q", "mend @file:src/lex.ts"), { exit: 0 }, out.join(""));
  assert.ok(asked().includes("[File src/lex.ts: 4 lines]"), asked());
  assert.deepEqual(await run("-z", "mend this", "--stdin"), { exit: 0 }, out.join(""));
  assert.ok(asked().includes("Standard input:\n````\n```\n@file:src/lex.ts\n````"), asked());
  assert.ok(!asked().includes("[File"), asked());
  assert.deepEqual(await run("chat", "-q", "mend @file:src/none.ts"), { exit: 0 }, out.join(""));
  assert.match(out.join(""), /not included in the message: @file:src\/none\.ts: File not found: .*none\.ts/);
  assert.match(asked(), /\[@file:src\/none\.ts is not included: File not found/);
});

test("of a pasted list of a thousand files thirty-two are read, and the rest is told in one line", async (t) => {
  const { owner, asked, noticesOf } = await setup(t);
  const { session_id } = await owner.ask(Array.from({ length: 1_000 }, (_, n) => `@file:f${n}.ts`).join("\n"));
  const told = asked().match(/^\[.*not included.*\]$/gm) ?? [];
  const rest = "968 more are not included (limit 32 mentions per message)";
  assert.deepEqual([told.length, told.at(-1)], [33, `[${rest}]`]);
  const [notice = ""] = await noticesOf(session_id);
  assert.ok(notice.endsWith(`; ${rest}`), notice);
});

test("what a tool of the turn may not read is named and stays a word", async (t) => {
  const { owner, asked, noticesOf } = await setup(t);
  mkdirSync(join(owner.work, "..", ".ssh"));
  writeFileSync(join(owner.work, "..", ".ssh/id_rsa"), "private words");
  writeFileSync(join(owner.work, "a.bin"), Buffer.from([0, 1, 2, 0]));
  const { session_id } = await owner.ask("see @file:~/.ssh/id_rsa and @file:a.bin and @file:/dev/zero");
  const text = asked();
  assert.ok(!text.includes("private words"), text);
  for (const one of ["@file:~/.ssh/id_rsa", "@file:a.bin", "@file:/dev/zero"])
    assert.ok(text.includes(`[${one} is not included: `), text);
  assert.equal((await noticesOf(session_id)).filter((one) => one.startsWith("not included in the message")).length, 1);
});

test("a quarter of the window is warned of, and half of it refused, both with the sizes", async (t) => {
  const { owner, asked, noticesOf } = await setup(t);
  writeFileSync(join(owner.work, "quarter.txt"), `${"x".repeat(99)}\n`.repeat(1_700));
  writeFileSync(join(owner.work, "half.txt"), `${"x".repeat(99)}\n`.repeat(2_700));
  const some = await owner.ask("see @file:quarter.txt");
  assert.match(
    (await noticesOf(some.session_id)).join(),
    /the mentions of the message take about 42\d\d\d tokens, 33 % of the window of 128000/,
  );
  assert.ok(asked().length > 170_000);
  const much = await owner.ask("see @file:half.txt");
  assert.match(
    (await noticesOf(much.session_id)).join(),
    /take about 67\d\d\d tokens, 53 % of the window of 128000; the limit is half of it/,
  );
  assert.ok(asked().length < 1_000, asked().slice(0, 500));
});

test("news of the background mentions nothing", async (t) => {
  const { owner, asked } = await setup(t);
  const { session_id } = await owner.ask("hello");
  await owner.chat.queueAdd(session_id, {
    text: "the log says @file:src/lex.ts",
    kind: "process_notice",
    source: "background",
  });
  await owner.chat.submit({ session: session_id, text: "and?" });
  const said = (await owner.messages(session_id)).map(({ content }) => content ?? "");
  assert.ok(
    said.some((one) => one.includes("@file:src/lex.ts")),
    said.join("|"),
  );
  assert.ok(!said.some((one) => one.includes("[File")) && asked() !== "", said.join("|"));
});
