import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLog } from "../../base/log/log.js";
import { createShellLines } from "./shell-lines.js";

function records(given?: string) {
  const kept = new Map<string, string>(given === undefined ? [] : [["shell_lines", given]]);
  return {
    kept,
    record: async (name: string) => kept.get(name),
    setRecord: async (name: string, json: string) => void kept.set(name, json),
  };
}

const line = (output: string) => ({ output, exit_code: 0, cwd: "/w" });

test("output waits in the records of the conversation until a message with it is stored", async () => {
  const store = records();
  await createShellLines(store, silentLog).keep("ls -l", line("a.txt"));
  const after = createShellLines(store, silentLog); // of another owner
  const { text, sent } = await after.join("which is mine?");
  assert.equal(text, "which is mine?\n\n[I ran: ls -l (exit code 0)]\n```\na.txt\n```");
  await after.keep("pwd", line("/w")); // while the message is being stored
  sent();
  assert.equal((await after.join("next")).text, "next\n\n[I ran: pwd (exit code 0)]\n```\n/w\n```");
});

test("the newest eight lines wait, a fence in the output closes nothing, and a damaged record is none", async () => {
  const store = records("{damaged");
  const lines = createShellLines(store, silentLog);
  for (let n = 1; n <= 9; n++) await lines.keep(`echo ${n}`, line(n === 9 ? "```\nescaped" : String(n)));
  const { text } = await lines.join("x");
  assert.equal(text.match(/I ran: /g)?.length, 8);
  assert.doesNotMatch(text, /echo 1 /);
  assert.match(text, /````\n```\nescaped\n````$/);
});
