import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { eventually } from "../../../fixtures/e2e/eventually.js";
import { type Ran, runCode } from "../../../fixtures/worlds/run-code.js";
import { bench } from "../../../fixtures/worlds/tool-context.js";
import { systemSpawner } from "../../base/process/spawn-system.js";
import { type Clock, systemClock } from "../../base/time/clock.js";
import executeCode from "./execute-code.js";

test("Python has the same functions with keyword arguments, and its threads call at the same time", async (t) => {
  const code = `
from agent_tools import read_file, write_file, terminal, json_parse, shell_quote, retry
from concurrent.futures import ThreadPoolExecutor
print(write_file(path="a.txt", content="hällo\\n")["bytes_written"])
with ThreadPoolExecutor() as pool:
    print(list(pool.map(lambda name: read_file(path=name)["total_lines"], ["a.txt", "b.txt"])))
print(terminal(command="echo " + shell_quote("it's"))["output"])
print(json_parse('Sure: {"a": [1,],}'), retry(lambda: 7))`;
  const { run, work } = await runCode(t, [{ code, language: "python" }]);
  writeFileSync(join(work, "b.txt"), "1\n2\n3\n");
  const { ran, turn } = await run();
  assert.deepEqual([ran[0]?.status, ran[0]?.output], ["success", "7\n[1, 3]\nit's\n{'a': [1]} 7"]);
  assert.deepEqual(turn.files_changed, [join(work, "a.txt")]);
});

test("errors name the line of the given code, and what was printed before stays", async (t) => {
  const programs = [
    'console.log("before");\nconst x = 1;\nnull.field;',
    "const a = 1;\nconst = 2;",
    { code: "print('before')\n\nraise ValueError('no')", language: "python" },
    { code: "x = 1\ny = = 2", language: "python" },
    "throw { code: 7 };",
    "await new Promise(() => undefined);",
    "process.exit(3);",
    'import { nothing } from "agent-tools";',
  ];
  const { run } = await runCode(t, programs);
  const { ran } = await run();
  const expected: [RegExp, RegExp][] = [
    [/^before\n--- stderr ---\nTypeError: .*\n\s+at code\.mjs:3:6/, /exit code 1/],
    [/^--- stderr ---\ncode\.mjs:2\nconst = 2;\n +\^\n\nSyntaxError: Unexpected token '='$/, /exit code 1/],
    [
      /^before\n--- stderr ---\nTraceback[^\n]*\n {2}File "code\.py", line 3, in <module>\n {4}raise ValueError\('no'\)\nValueError: no/,
      /exit code 1/,
    ],
    [/^--- stderr ---\n {2}File "code\.py", line 2\n/, /exit code 1/],
    [/^--- stderr ---\nUncaught \{ code: 7 \}/, /exit code 1/],
    [/never happen/, /exit code 13/],
    [/^$/, /exit code 3/],
    [/does not provide an export named 'nothing'/, /exit code 1/],
  ];
  for (const [index, [output, error]] of expected.entries()) {
    assert.equal(ran[index]?.status, "error");
    assert.match(ran[index]?.output ?? "", output);
    assert.match(ran[index]?.error ?? "", error);
  }
});

test("output is cut at both ends of 50,000 bytes, and results that a program reads are whole", async (t) => {
  const code = `
import { terminal } from "agent-tools";
const { output } = await terminal({ command: "head -c 120001 /dev/zero | tr '\\\\0' x" });
console.log(output.length);
console.log("é".repeat(60000));`;
  const { run } = await runCode(t, [code]);
  const { ran } = await run();
  const output = ran[0]?.output ?? "";
  assert.match(
    output,
    /^120001\né+\n\.\.\. \[OUTPUT TRUNCATED - 7000\d bytes omitted out of 12000\d total\] \.\.\.\né+$/,
  );
  assert.ok(Buffer.byteLength(output) < 50_200);
});

test("the time limit ends a program with everything that it started", async (t) => {
  const code = `
import { spawn } from "node:child_process";
import { renameSync, writeFileSync } from "node:fs";
const child = spawn("sleep", ["100"], { stdio: "ignore" });
writeFileSync("written", process.pid + " " + child.pid);
renameSync("written", "pids");
console.log("begun");
await new Promise((resolve) => setTimeout(resolve, 100000));`;
  const seconds = 7_777;
  let reach: (() => void) | undefined;
  const { after } = systemClock;
  const clock: Clock = {
    ...systemClock,
    after: (ms, fn) => {
      if (ms !== seconds * 1_000) return after(ms, fn);
      reach = fn;
      return () => undefined;
    },
  };
  const { context, project, run } = bench(t, { config: { "code_execution.timeout": seconds } });
  const call = () => Promise.reject(new Error("the program calls nothing"));
  const running = run(executeCode, { code }, { ports: { ...context.ports, clock }, call, offered: [] });
  const pids = join(project, "pids");
  await eventually(() => existsSync(pids));
  const both = readFileSync(pids, "utf8").split(" ").map(Number);
  for (const pid of both) assert.notEqual(systemSpawner.identify(pid), undefined, "it runs before the limit");
  reach?.(); // the limit passes now, and not before the program runs
  const ran: Ran = JSON.parse((await running).text);
  assert.deepEqual(
    [ran.status, ran.error],
    ["timeout", `the code was ended after ${seconds} s (code_execution.timeout)`],
  );
  for (const pid of both) assert.equal(systemSpawner.identify(pid), undefined);
});

const NO_CAGE = 'terminal:\n  cage: "off"\n';

test("an interrupt ends the program, its children and the call that it waits for", async (t) => {
  const code = `
import { spawn } from "node:child_process";
import { terminal } from "agent-tools";
import { writeFileSync } from "node:fs";
const child = spawn("sleep", ["100"], { stdio: "ignore" });
writeFileSync("pids", process.pid + " " + child.pid);
await terminal({ command: "echo here; sleep 100" });`;
  const { chat, open, work, results } = await runCode(t, [code], { config: NO_CAGE }); // it looks for pids of this machine
  const { id } = await open();
  const turn = chat.submit({ session: id, text: "do it" });
  const seen = new AbortController();
  for await (const { event, data } of chat.events(id, 0, seen.signal))
    if (event === "tool.started" && data["name"] === "terminal") seen.abort();
  assert.equal(await chat.interrupt(id), true);
  assert.equal((await turn).interrupted, true);
  const [ran] = (await results(id)) as Ran[];
  assert.equal(ran?.status, "interrupted");
  for (const pid of readFileSync(join(work, "pids"), "utf8").split(" "))
    assert.equal(systemSpawner.identify(Number(pid)), undefined);
});

test("the environment holds what interpreters need and no secret; descriptors 3 and 4 reach no one below", async (t) => {
  const code = `
import { execSync } from "node:child_process";
console.log(Object.keys(process.env).sort().join(" "));
console.log(execSync("ls /proc/self/fd").toString().trim().split("\\n").filter((fd) => fd === "3" || fd === "4").map((fd) => execSync("readlink /proc/self/fd/" + fd + " || true").toString()).filter((to) => to.startsWith("socket") || to.startsWith("pipe")).length);`;
  const python = "import os, subprocess\nprint(os.system('readlink /proc/self/fd/4') != 0, sorted(os.environ))";
  const env = { MY_TOKEN: "s3cret-value", ODD: "1", XDG_X: "2", AGENT_FOO: "3", TMPDIR: "/tmp" };
  const { run } = await runCode(t, [code, { code: python, language: "python" }], { env, config: NO_CAGE }); // a cage adds PWD
  const { ran } = await run();
  assert.deepEqual(ran[0]?.output.split("\n"), ["HOME LANG PATH TMPDIR XDG_X", "0"]);
  const seen = ran[1]?.output ?? "";
  assert.match(seen, /^True \[.*'HOME', .*'XDG_X'/);
  assert.equal(/MY_TOKEN|ODD|AGENT_/.test(seen), false);
});

test("strict runs in an empty directory that is gone afterwards; project runs where the conversation is and imports from there", async (t) => {
  const where = "console.log(process.cwd());\nconsole.log((await import('node:fs')).readdirSync('.').length);";
  const strict = await runCode(t, [where], { config: "code_execution:\n  mode: strict\n" });
  const [cwd = "", count] = ((await strict.run()).ran[0]?.output ?? "").split("\n");
  assert.deepEqual([count, existsSync(cwd), cwd.startsWith(strict.work)], ["0", false, false]);
  const project = await runCode(t, ["import { value } from './own.mjs';\nconsole.log(value, process.cwd());"]);
  writeFileSync(join(project.work, "own.mjs"), "export const value = 42;\n");
  assert.equal((await project.run()).ran[0]?.output, `42 ${project.work}`);
});
