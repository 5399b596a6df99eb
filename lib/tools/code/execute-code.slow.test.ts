import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { chatOwner } from "../../../fixtures/sim/chat-owner.js";
import { call, type Ran, rounds, runCode } from "../../../fixtures/worlds/run-code.js";

test("C39: a program reads three files at the same time and prints their sizes; without python3 the schema has no python", async (t) => {
  const code = `
import { read_file } from "agent-tools";
const files = await Promise.all(["a", "b", "c"].map((name) => read_file({ path: name + ".txt" })));
console.log(files.map((file) => file.file_size).join(" "));`;
  const { run, work, model } = await runCode(t, [code]);
  for (const [name, size] of [
    ["a", 3],
    ["b", 20],
    ["c", 500],
  ] as const)
    writeFileSync(join(work, `${name}.txt`), "x".repeat(size));
  const { ran, turn } = await run();
  assert.deepEqual(
    [ran.length, ran[0]?.status, ran[0]?.language, ran[0]?.tool_calls_made, ran[0]?.output],
    [1, "success", "javascript", 3, "3 20 500"],
  );
  assert.equal(turn.completed, true);
  const schemaOf = (server: typeof model) =>
    (server.chats()[0]?.body?.tools ?? [])
      .map((tool) => JSON.stringify(tool))
      .find((tool) => tool.includes("execute_code"));
  assert.match(schemaOf(model) ?? "", /python/);
  const bare = join(work, "bin");
  mkdirSync(bare);
  const without = await runCode(t, ["1"], { env: { PATH: bare } });
  await without.run();
  const schema = schemaOf(without.model) ?? "";
  assert.match(schema, /execute_code/);
  assert.equal(/python/i.test(schema), false);
});

test("a call goes through the whole pipeline: guards of paths, rules, redaction, placeholders, the list of changed files", async (t) => {
  const secret = "sk-abcdefghijklmnopqrstuvwxyz0123";
  const code = `
import { read_file, write_file, terminal, web_search } from "agent-tools";
console.log((await write_file({ path: "~/.ssh/authorized_keys", content: "x" })).error !== undefined);
console.log((await terminal({ command: "rm -rf kept" })).status);
const { content } = await read_file({ path: "keys.txt" });
console.log(content);
await write_file({ path: "copy.txt", content: content.replace(/^1\\|/, "") + "\\n" });
console.log((await terminal({ command: "sleep 1", background: true }).catch((error) => error.message)));
console.log(await web_search({ query: "x" }).catch((error) => error.message));
console.log((await read_file({ path: 5 })).content ?? "read");`;
  const { run, work, home } = await runCode(t, [code], { config: "agent: {disabled_toolsets: [web]}\n" });
  mkdirSync(join(work, "kept"));
  writeFileSync(join(work, "keys.txt"), `KEY=${secret}\n`);
  const { ran, turn } = await run();
  const [one] = ran;
  assert.deepEqual(one?.output.split("\n").slice(0, 5), [
    "true",
    "denied",
    "1|KEY=«secret:api_key:1»",
    "terminal runs in the foreground here",
    "web_search is not available in this conversation",
  ]);
  assert.equal(readFileSync(join(work, "copy.txt"), "utf8"), `KEY=${secret}\n`, "the true value is written");
  assert.ok(existsSync(join(work, "kept")));
  assert.deepEqual(
    turn.denied.map(({ tool }) => tool),
    ["terminal"],
  );
  assert.deepEqual(turn.files_changed, [join(work, "copy.txt")]);
  assert.deepEqual(one?.failed_calls?.map(({ tool }) => tool).slice(0, 4), [
    "write_file",
    "terminal",
    "terminal",
    "web_search",
  ]);
  assert.equal(existsSync(join(home.dir, ".ssh")), false);
});

test("what the model has not seen does not count as read: it reads the file itself afterwards", async (t) => {
  const read =
    'import { read_file } from "agent-tools";\nfor (let n = 0; n < 3; n++) console.log((await read_file({ path: "a.txt" })).total_lines);';
  const replies = [call("execute_code", { code: read }), call("read_file", { path: "a.txt" }), { text: "ok" }];
  const owner = await chatOwner(t, {
    script: (request) => replies[rounds(request)] ?? { text: "?" },
    config: "command_allowlist: [inline-code]\n",
  });
  writeFileSync(join(owner.work, "a.txt"), "1\n2\n");
  const turn = await owner.ask("do it");
  const [ran, own] = (await owner.results(turn.session_id)) as [Ran, { content?: string }];
  assert.equal(ran.output.split("\n")[0], "2");
  assert.equal(own.content, "1|1\n2|2");
});

test("calls beyond the limit fail in the program, which may catch them", async (t) => {
  const code = `
import { read_file } from "agent-tools";
for (let n = 0; n < 3; n++) console.log(await read_file({ path: "a" + n }).then(() => "called", (error) => error.message));`;
  const { run } = await runCode(t, [code], { config: "code_execution:\n  max_tool_calls: 2\n" });
  const { ran } = await run();
  assert.deepEqual(ran[0]?.output.split("\n"), [
    "called",
    "called",
    "the limit of 2 tool calls is reached (code_execution.max_tool_calls)",
  ]);
  assert.equal(ran[0]?.tool_calls_made, 2);
});

test("what a program changes by itself can be rolled back: the state before it is kept", async (t) => {
  const code = 'import { writeFileSync } from "node:fs";\nwriteFileSync("a.txt", "new");';
  const owner = await runCode(t, [code], { config: "checkpoints:\n  enabled: true\n" });
  writeFileSync(join(owner.work, "a.txt"), "old");
  const { turn } = await owner.run();
  const made = (await owner.events(turn.session_id)).filter(({ event }) => event === "checkpoint.made");
  assert.match(String(made[0]?.data["reason"]), /^before execute_code: /);
});

test("what a program writes to its descriptor by itself is no harm", async (t) => {
  const code = `
import { writeSync } from "node:fs";
import { read_file } from "agent-tools";
for (const line of ["{bad", "[]", '{"id":"x","name":5}', '{"id":77,"name":"kanban_create","args":{}}', "\\u0000"]) writeSync(4, line + "\\n");
console.log((await read_file({ path: "a.txt" })).file_size);`;
  const { run, work } = await runCode(t, [code]);
  writeFileSync(join(work, "a.txt"), "four");
  const { ran } = await run();
  assert.deepEqual([ran[0]?.status, ran[0]?.output, ran[0]?.tool_calls_made], ["success", "4", 1]);
  assert.deepEqual(ran[0]?.failed_calls, [
    { tool: "kanban_create", error: "kanban_create is not available in this conversation" },
  ]);
});
