import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Reply } from "../../fixtures/servers/model/script.js";
import { chatOwner } from "../../fixtures/sim/chat-owner.js";
import { call, rounds } from "../../fixtures/worlds/run-code.js";
import type { ChatEvent } from "../contracts/chat/chat.js";

const replies = (list: readonly Reply[]) => (request: Parameters<typeof rounds>[0]) =>
  list[rounds(request)] ?? { text: "ok" };

test("C26: a command that prints 120,001 characters shows head and tail of 50,000, and all of it is in a file that can be read", async (t) => {
  const owner = await chatOwner(t, {
    script: replies([call("terminal", { command: "head -c 120000 /dev/zero | tr '\\0' a; printf z" })]),
  });
  const { session_id: id } = await owner.ask("do it");
  const [result] = (await owner.results(id)) as { output: string; output_file: string; truncated: boolean }[];
  assert.match(
    result?.output ?? "",
    /^a+\n\.\.\. \[OUTPUT TRUNCATED - 70001 chars omitted out of 120001 total\] \.\.\.\na+z$/,
  );
  assert.ok(Math.abs((result?.output.length ?? 0) - 50_000) < 200);
  assert.equal(readFileSync(result?.output_file ?? "", "utf8").length, 120_001);
  assert.equal(
    result?.output_file.startsWith(join(owner.home.cache, "results", id)),
    true,
    "it goes with the conversation",
  );
});

test("C29: the third failing command of a turn is warned about; commands whose code is an answer are not", async (t) => {
  const failing = ["a", "b", "c"].map((name) => call("terminal", { command: `ls no-such-${name}` }));
  const owner = await chatOwner(t, { script: replies(failing) });
  const results = (await owner.results((await owner.ask("do it")).session_id)) as { _loop_warning?: string }[];
  assert.deepEqual(
    results.map((result) => /same_tool_failure_warning; count=3/.test(result._loop_warning ?? "")),
    [false, false, true],
  );
  const searching = ["a", "b", "c"].map((name) => call("terminal", { command: `grep no-such-${name} words` }));
  const other = await chatOwner(t, { script: replies(searching) });
  writeFileSync(join(other.work, "words"), "one\n");
  const fine = (await other.results((await other.ask("do it")).session_id)) as {
    exit_code: number;
    _loop_warning?: string;
  }[];
  assert.deepEqual(
    fine.map(({ exit_code, _loop_warning }) => [exit_code, _loop_warning]),
    [1, 1, 1].map((code) => [code, undefined]),
  );
});

/** Calls whose end was not told yet when the last of them began. */
function together(events: readonly ChatEvent[]): number {
  const names = events.map(({ event }) => event).filter((name) => name === "tool.started" || name === "tool.ended");
  return names.indexOf("tool.ended");
}

test("C37: two read-only commands of one response run at the same time, with their results in order", async (t) => {
  const tool_calls = ["a", "b"].map((name) => ({ name: "terminal", arguments: { command: `sleep 1; echo ${name}` } }));
  const owner = await chatOwner(t, { script: replies([{ tool_calls }]) });
  const { session_id: id } = await owner.ask("do it");
  const results = (await owner.results(id)) as { output: string }[];
  assert.deepEqual(
    results.map((result) => result.output),
    ["a", "b"],
  );
  assert.equal(together(await owner.events(id)), 2, "both had begun before one had ended");
});

test("commands that may change something run one after the other", async (t) => {
  const tool_calls = ["a", "b"].map((name) => ({ name: "terminal", arguments: { command: `echo ${name} >> log` } }));
  const owner = await chatOwner(t, { script: replies([{ tool_calls }]) });
  const { session_id: id } = await owner.ask("do it");
  assert.equal(together(await owner.events(id)), 1);
  assert.equal(readFileSync(join(owner.work, "log"), "utf8"), "a\nb\n");
});

test("ten independent reads of one response run eight at a time", async (t) => {
  const names = Array.from({ length: 10 }, (_, index) => `f${index}.txt`);
  const owner = await chatOwner(t, {
    script: replies([{ tool_calls: names.map((path) => ({ name: "read_file", arguments: { path } })) }]),
  });
  for (const name of names) writeFileSync(join(owner.work, name), `${name}\n`);
  const { session_id: id } = await owner.ask("do it");
  assert.equal(together(await owner.events(id)) >= 8, true, "eight had begun before one had ended");
  const results = (await owner.results(id)) as { content: string }[];
  assert.deepEqual(
    results.map((result) => result.content),
    names.map((name) => `1|${name}`),
  );
});

test("arguments too large for an event are cut in it and stay JSON; the call itself gets them whole", async (t) => {
  const content = "é".repeat(40_000);
  const owner = await chatOwner(t, { script: replies([call("write_file", { path: "a.txt", content })]) });
  const { session_id: id } = await owner.ask("do it");
  const started = (await owner.events(id)).find(({ event }) => event === "tool.started");
  const args = String(started?.data["args"]);
  assert.ok(Buffer.byteLength(args) <= 32_000);
  assert.equal(JSON.parse(args).path, "a.txt");
  assert.equal(readFileSync(join(owner.work, "a.txt"), "utf8"), content);
});

for (const source of ["cli", "workspace"] as const) {
  test(`the first request of a ${source} session keeps its prompt and tools together under 20 KB, those of skills and memory among them, with at most 20 schemas`, async (t) => {
    const owner = await chatOwner(t, { script: replies([]) });
    const { total, tools, schemas } = await owner.chat.promptSize({
      source,
      cwd: owner.work,
      env: { PATH: process.env["PATH"] ?? "" },
    });
    assert.ok(total.bytes < 20_480, `${total.bytes} bytes`);
    assert.ok(tools.length <= 20 && schemas.chars <= 24_000);
  });
}
