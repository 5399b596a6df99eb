import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { chatOwner } from "../../../fixtures/sim/chat-owner.js";
import type { Method } from "../../backplane/methods.js";
import { COMMANDS } from "../../commands/index.gen.js";
import type { Completion } from "../../contracts/chat/slash.js";
import type { McpServerStatus } from "../../contracts/mcp/mcp.js";
import { completeMethods } from "../complete/complete-methods.js";
import { inputFileMethods } from "./input-file-methods.js";
import { promptMethods } from "./prompt-methods.js";

const mcpServer = (name: string): McpServerStatus => ({
  name,
  transport: "stdio",
  state: "idle",
  tools: 0,
  resources: 0,
  prompts: 0,
  shared: true,
  enabled: true,
});

async function setup(t: TestContext, config?: string) {
  const owner = await chatOwner(t, { script: () => ({ text: "hello" }), ...(config === undefined ? {} : { config }) });
  const { app } = owner;
  const { chat, board, profiles } = app;
  // Time stands still: an answer waits for its list of files as long as that takes.
  const mcp = { ...app.mcp, list: () => ["files", "fetch", "web"].map(mcpServer) };
  const patient = { chat, board, profiles, mcp, options: { ...app.options, clock: manualClock() } };
  const methods = new Map<string, Method>([
    ...promptMethods(app),
    ...inputFileMethods(app),
    ...completeMethods(COMMANDS, patient),
  ]);
  const newClient = (id: number) => ({ id, kind: "workspace", gone: new AbortController() });
  const first = newClient(1);
  const call = async <T>(name: string, params: object = {}, { gone, ...rest } = first): Promise<T> => {
    const method = methods.get(name);
    assert.ok(method, name);
    const client = { ...rest, signal: gone.signal };
    // What a client gets has been JSON on its way.
    return JSON.parse(
      JSON.stringify(await method.run(method.params.parse(params) as never, client as never, {} as never)),
    );
  };
  const { dir } = app.options.home;
  const complete = async (text: string) =>
    (await call<readonly Completion[]>("complete", { text, cursor: text.length, cwd: join(dir, "w") })).map(
      (one) => one.text,
    );
  const history = async (cwd: string) => (await call<{ texts: readonly string[] }>("history.list", { cwd })).texts;
  return { owner, call, dir, complete, history, first, newClient };
}

test("what was sent is kept once, the newest of this directory first, and nothing that begins with a blank", async (t) => {
  const { call, history } = await setup(t);
  for (const [text, cwd] of [
    ["one", "/a"],
    ["two", "/b"],
    ["three", "/a"],
    ["one", "/a"],
    [" secret", "/a"],
    ["  ", "/a"],
  ] as const)
    await call("history.add", { text, cwd });
  assert.deepEqual(await history("/a"), ["one", "three", "two"]);
  assert.deepEqual(await history("/b"), ["two", "one", "three"]);
});

test("the history holds display.history_size entries, and none where display.persist_prompts is off", async (t) => {
  const small = await setup(t, "display:\n  history_size: 3\n");
  for (let n = 0; n < 6; n++) await small.call("history.add", { text: `line ${n}`, cwd: "/a" });
  assert.deepEqual(await small.history("/a"), ["line 5", "line 4", "line 3"]);
  const off = await setup(t, "display:\n  persist_prompts: false\n");
  assert.deepEqual(await off.call("history.add", { text: "one", cwd: "/a" }), { kept: false });
  assert.deepEqual(await off.history("/a"), []);
});

test("a long history comes in pages, whole", async (t) => {
  const { call } = await setup(t);
  const long = "x".repeat(16_000);
  for (let n = 0; n < 25; n++) await call("history.add", { text: `${n} ${long}`, cwd: "/a" });
  const texts: string[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page: { texts: readonly string[]; next: number | null } = await call("history.list", { cwd: "/a", after });
    texts.push(...page.texts);
    after = page.next;
  }
  assert.deepEqual(
    texts.map((text) => text.split(" ")[0]),
    Array.from({ length: 25 }, (_, n) => String(24 - n)),
  );
});

test("unsent text is kept for a session and for the next new one of a directory, until it is empty", async (t) => {
  const { call } = await setup(t);
  await call("draft.set", { session_id: "s1", text: "half a thought" });
  await call("draft.set", { cwd: "/a", text: "for a new one" });
  assert.deepEqual(await call("draft.get", { session_id: "s1" }), { text: "half a thought" });
  assert.deepEqual(await call("draft.get", { cwd: "/a" }), { text: "for a new one" });
  await call("draft.set", { session_id: "s1", text: "" });
  assert.deepEqual(await call("draft.get", { session_id: "s1" }), { text: "" });
});

for (const place of [{ cwd: "/a" }, { session_id: "s1" }])
  test(`unsent text is shown in one workspace at a time: ${Object.keys(place)[0]}`, async (t) => {
    const { call, first, newClient } = await setup(t);
    const second = newClient(2);
    await call("draft.get", place);
    await call("draft.set", { ...place, text: "of the first" });
    assert.deepEqual(await call("draft.get", place, second), { text: "" });
    await call("draft.set", { ...place, text: "of the second" }, second);
    assert.deepEqual(await call("draft.get", place), { text: "of the first" });
    assert.deepEqual(await call("draft.get", place, second), { text: "of the second" });
    first.gone.abort();
    second.gone.abort();
    const later = [newClient(3), newClient(4), newClient(5)];
    const texts = [];
    for (const one of later) texts.push((await call<{ text: string }>("draft.get", place, one)).text);
    assert.deepEqual(texts, ["of the first", "of the second", ""], "none of it is lost");
  });

test("after a restart of the owner each workspace goes on with its own unsent text", async (t) => {
  const { call, newClient } = await setup(t);
  const place = { cwd: "/a" };
  await call("draft.set", { ...place, text: "of the first" });
  const earlier = newClient(2);
  await call("draft.set", { ...place, text: "of the second" }, earlier);
  earlier.gone.abort(); // as for an owner that has just started, its text is unclaimed
  const another = newClient(3);
  const second = newClient(4);
  const later = newClient(5);
  await call("draft.set", { ...place, text: "of a third" }, another);
  await call("draft.set", { ...place, text: "", before: "of the sec" }, second);
  assert.deepEqual(await call("draft.get", place, another), { text: "of a third" });
  assert.deepEqual(await call("draft.get", place, later), { text: "" }, "what was sent is not shown again");
});

test("a workspace that claims its stored text leaves a longer one that begins like it to others", async (t) => {
  const { call, first, newClient } = await setup(t);
  const place = { cwd: "/a" };
  await call("draft.set", { ...place, text: "fix the bug" });
  const open = newClient(2);
  await call("draft.set", { ...place, text: "fix the" }, open);
  first.gone.abort();
  open.gone.abort(); // as for an owner that has just started, both are unclaimed
  const back = newClient(3);
  await call("draft.set", { ...place, text: "fix the", before: "fix the" }, back);
  assert.deepEqual(await call("draft.get", place, newClient(4)), { text: "fix the bug" });
  assert.deepEqual(await call("draft.get", place, back), { text: "fix the" });
});

test("a workspace that claims its stored text after a restart of the owner has it alone", async (t) => {
  const { call, first, newClient } = await setup(t);
  const place = { cwd: "/a" };
  await call("draft.set", { ...place, text: "of the first" });
  first.gone.abort(); // as for an owner that has just started, its text is unclaimed
  const back = newClient(2);
  await call("draft.set", { ...place, text: "of the first", before: "of the first" }, back);
  assert.deepEqual(await call("draft.get", place, newClient(3)), { text: "" });
  assert.deepEqual(await call("draft.get", place, back), { text: "of the first" });
  back.gone.abort();
  assert.deepEqual(await call("draft.get", place, newClient(4)), { text: "of the first" });
});

test("more workspaces than places keep what is there, and two that open at the same time do not share one", async (t) => {
  const { call, newClient } = await setup(t);
  const place = { cwd: "/a" };
  await call("draft.set", { ...place, text: "one" });
  const many = Array.from({ length: 12 }, (_, n) => newClient(n + 2));
  const kept = await Promise.all(many.map((one, n) => call("draft.set", { ...place, text: `text ${n}` }, one)));
  assert.deepEqual(
    kept.map((answer) => (answer as { kept: boolean }).kept),
    many.map((_, n) => n < 7),
  );
  assert.deepEqual(await call("draft.get", place, many.at(-1)), { text: "" });
  assert.deepEqual(await call("draft.get", place), { text: "one" });
});

test("a paste that no message holds is a private file, whole, made of pieces", async (t) => {
  const { call } = await setup(t);
  const first = await call<{ path: string; name: string }>("paste.keep", { text: "漢字 one\n" });
  const second = await call<{ path: string; bytes: number }>("paste.keep", { text: "two\n", name: first.name });
  assert.equal(readFileSync(second.path, "utf8"), "漢字 one\ntwo\n");
  assert.equal(second.bytes, 15);
  await assert.rejects(call("paste.keep", { text: "x", name: "paste-000000000000.txt" }), /no such paste/);
  await assert.rejects(call("paste.keep", { text: "x", name: "../../config.yaml" }), /name/);
});

test("a pasted path is a file in quotes, with backslashes, or as an address; anything else is nothing", async (t) => {
  const { call, dir } = await setup(t);
  const path = join(dir, "a file.txt");
  writeFileSync(path, "five!");
  for (const given of [path, `'${path}'`, path.replace(" ", "\\ "), `file://${path.replace(" ", "%20")}`])
    assert.deepEqual(
      await call("file.look", { path: given }),
      { path, name: "a file.txt", bytes: 5, image: false },
      given,
    );
  for (const given of ["/no/such/file", dir, "file://elsewhere/etc/passwd"])
    assert.equal(await call("file.look", { path: given }), null, given);
});

test("folders are offered while @folder: is typed, those with blanks in their names in quotes", async (t) => {
  const { dir, complete } = await setup(t);
  for (const folder of ["src/deep", "some words"]) mkdirSync(join(dir, "w", folder), { recursive: true });
  for (const file of ["src/lex.ts", "src/deep/one.ts", "some words/in.md"]) writeFileSync(join(dir, "w", file), "x");
  assert.deepEqual(await complete("see @folder:src"), ["@folder:src/", "@folder:src/deep/"]);
  assert.deepEqual(await complete("see @folder:src/d"), ["@folder:src/deep/"]);
  assert.deepEqual(await complete("see @folder:some"), ['@folder:"some words/"']);
  assert.deepEqual(await complete('see @folder:"some wo'), ['@folder:"some words/"']);
  assert.deepEqual(await complete('see @file:"some words/i'), ['@file:"some words/in.md"']);
});

test("files are offered by letters of their path, sessions and tasks by their words, paths behind an exclamation mark", async (t) => {
  const { owner, dir, complete } = await setup(t);
  for (const folder of ["src", "node_modules", ".git"]) mkdirSync(join(dir, "w", folder), { recursive: true });
  for (const file of ["src/lex.ts", "src/index.ts", "read me.md", "node_modules/lex.js"])
    writeFileSync(join(dir, "w", file), "x");
  writeFileSync(join(dir, "w", ".gitignore"), "node_modules\n");
  assert.deepEqual(await complete("see @slex"), ["@file:src/lex.ts"]);
  assert.deepEqual(await complete("see @read"), ['@file:"read me.md"']);
  const kinds = ["@diff", "@file:", "@folder:", "@git:", "@session:", "@staged", "@task:", "@url:"];
  assert.deepEqual((await complete("see @")).slice(0, kinds.length), kinds);
  assert.deepEqual((await complete("see @fol")).slice(0, 1), ["@folder:"]);
  assert.deepEqual((await complete("see @st")).slice(0, 1), ["@staged"]);
  assert.deepEqual(await complete("see @git:1"), ["@git:1", "@git:10"]);
  assert.deepEqual(await complete("mail me@src"), []);
  assert.deepEqual(await complete("!cat src/l"), ["src/lex.ts"]);
  assert.deepEqual(await complete("!ls s"), ["src/"]);
  assert.deepEqual(await complete("!cat re"), ["read\\ me.md"]);
  const { session_id: id } = await owner.ask("mend the parser");
  assert.ok((await complete("as in @session:pars")).includes(`@session:${id}`));
  await owner.app.board.create("default" as never, { title: "Docs for the lexer" } as never, {
    kind: "human",
    name: "user",
  });
  assert.match((await complete("see @task:docs"))[0] ?? "", /^@task:t_/);
  assert.ok((await complete("a task for @def")).includes("@default"));
  assert.deepEqual(await complete("/kanban notify s"), ["subscribe"]);
});

test("names of MCP servers complete behind the commands that take one", async (t) => {
  const { complete } = await setup(t);
  assert.deepEqual(await complete("/mcp test f"), ["files", "fetch"]);
  assert.deepEqual(await complete("/mcp disable "), ["files", "fetch", "web"]);
  assert.ok((await complete("/mcp ")).includes("status"));
});
