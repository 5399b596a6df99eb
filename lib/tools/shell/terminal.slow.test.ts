import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { bench } from "../../../fixtures/worlds/tool-context.js";
import { systemSpawner } from "../../base/process/spawn-system.js";
import terminal from "./terminal.js";

test("a command answers with its output, its code and the directory", async (t) => {
  const { json, project } = bench(t);
  const result = await json(terminal, { command: "echo out; echo err >&2; exit 3" });
  assert.equal(result["output"], "out\nerr");
  assert.equal(result["exit_code"], 3);
  assert.equal(result["cwd"], project);
  assert.equal(result["error"], null);
});

test("cd and exports persist, a workdir does not", async (t) => {
  const { json, project } = bench(t);
  mkdirSync(join(project, "sub"));
  await json(terminal, { command: `cd sub; export TEXT=$'a "b"\\n\\'c\\' $x \`y\` \\\\ é \\x01'` });
  const next = await json(terminal, { command: 'printf %s "$TEXT" | base64; pwd' });
  const [encoded = "", directory] = String(next["output"]).split("\n");
  assert.equal(Buffer.from(encoded, "base64").toString(), "a \"b\"\n'c' $x `y` \\ é \x01");
  assert.equal(directory, join(project, "sub"));
  const elsewhere = await json(terminal, { command: "pwd", workdir: project });
  assert.equal(elsewhere["output"], project);
  assert.equal((await json(terminal, { command: "pwd" }))["output"], join(project, "sub"));
});

for (const [how, left] of [
  ["is gone", "cd sub && rmdir $P/sub"],
  ["has become a file", "cd sub && rmdir $P/sub && touch $P/sub"],
  ["has a file in place of its parent", "mkdir sub/below && cd sub/below && rm -r $P/sub && touch $P/sub"],
]) {
  test(`when the directory ${how}, the next command begins where the conversation began`, async (t) => {
    const { json, project } = bench(t);
    mkdirSync(join(project, "sub"));
    await json(terminal, { command: `P=$PWD; ${left}` });
    assert.equal((await json(terminal, { command: "pwd" }))["output"], project);
  });
}

test("state is kept when the command calls exit", async (t) => {
  const { json } = bench(t);
  await json(terminal, { command: "export A=1; exit 0" });
  assert.equal((await json(terminal, { command: "echo $A" }))["output"], "1");
});

test("an export that comes back as it was before others is taken over again", async (t) => {
  const { json } = bench(t);
  const said: unknown[] = [];
  for (const change of ["export A=1", "true", "cd /", "export A=2", "export A=1", "unset A", "export A=1", "true"]) {
    await json(terminal, { command: change });
    said.push((await json(terminal, { command: 'echo "A=$A $PWD"' }))["output"]);
  }
  const [home = ""] = String(said[0]).split(" ").slice(1);
  assert.deepEqual(said, [`A=1 ${home}`, `A=1 ${home}`, "A=1 /", "A=2 /", "A=1 /", "A= /", "A=1 /", "A=1 /"]);
});

test("functions and aliases of the login shell are there in every command", async (t) => {
  const { json, root } = bench(t);
  writeFileSync(
    join(root, "user", ".bashrc"),
    "greet() { echo hello $1; }\nalias say='echo said'\nexport FROM_RC=yes\nexport MY_API_KEY=abc\n",
  );
  const result = await json(terminal, { command: "greet you; say it; echo $FROM_RC [$MY_API_KEY]" });
  assert.equal(result["output"], "hello you\nsaid it\nyes []");
});

test("secrets and our own variables do not reach a command", async (t) => {
  const { json } = bench(t, {
    env: { OPENAI_API_KEY: "sk-1", AGENT_KANBAN_CLAIM: "/x", AGENT_PROFILE: "p", GIT_AUTHOR_NAME: "me" },
  });
  const result = await json(terminal, { command: "env" });
  assert.doesNotMatch(String(result["output"]), /OPENAI_API_KEY|AGENT_KANBAN/);
  assert.match(String(result["output"]), /AGENT_PROFILE=p/);
  assert.match(String(result["output"]), /GIT_AUTHOR_NAME=me/);
});

/** Resolves when the process whose pid a command has printed, if it came so far, is no more. */
async function gone(output: string): Promise<void> {
  const [pid] = /^\d+/.exec(output) ?? [];
  while (pid !== undefined && systemSpawner.identify(Number(pid)) !== undefined) await setImmediate();
}

test("a command that takes too long is ended with everything it started", async (t) => {
  const { run, project } = bench(t);
  const result = await run(terminal, {
    command: "bash -c '(sleep 1000; touch late) & echo $!; sleep 1000'",
    timeout: 1,
  });
  const seen = JSON.parse(result.text);
  assert.equal(seen.exit_code, 124);
  assert.match(seen.output, /\[Command timed out after 1s\]/);
  await gone(seen.output);
  assert.deepEqual(readdirSync(project), []);
});

test("an interrupt ends the command with 130", async (t) => {
  const { run } = bench(t);
  const control = new AbortController();
  const running = run(
    terminal,
    { command: "echo started; sleep 60" },
    { signal: control.signal, progress: () => control.abort() },
  );
  const result = await running;
  assert.equal(result.status, "interrupted");
  assert.equal(JSON.parse(result.text).exit_code, 130);
});

test("a grandchild that holds the pipe is not waited for", async (t) => {
  const { json, context } = bench(t);
  const result = await json(terminal, { command: "bash -c 'sleep 1000 & echo $!'" });
  const pid = Number(result["output"]);
  assert.deepEqual([result["exit_code"], systemSpawner.identify(pid) !== undefined], [0, true]);
  context.ports.spawner.signal({ pid }, "SIGKILL");
});

test("a refused command does not run", async (t) => {
  const permit = () => ({ allowed: false, status: "denied", message: "no", rule: "touch" }) as const;
  const { run, project } = bench(t, { permit });
  const result = await run(terminal, { command: "touch x" });
  assert.deepEqual(JSON.parse(result.text), { output: "", exit_code: -1, error: "no", status: "denied" });
  assert.equal(result.ruleToAllow, "touch");
  assert.deepEqual(readdirSync(project), []);
});

test("long output is cut in the middle and whole in a file (C26)", async (t) => {
  const { json } = bench(t);
  const result = await json(terminal, { command: "head -c 120000 /dev/zero | tr '\\0' x; echo" });
  const output = String(result["output"]);
  assert.match(output, /N?\d+ chars omitted out of 120001 total/);
  assert.ok(output.length > 49_000 && output.length < 51_000);
  assert.equal(readFileSync(String(result["output_file"]), "utf8").length, 120_001);
});

test("a command longer than one argument may be runs", async (t) => {
  const { json } = bench(t);
  const result = await json(terminal, { command: `echo ${"é".repeat(90_000)} | wc -m` });
  assert.equal(result["output"], "90001");
});

test("no file with the state of a command is left behind", async (t) => {
  const { json, context } = bench(t);
  await json(terminal, { command: "true" });
  await context.state.entry<{ close(): Promise<void> }>("terminal", assert.fail).close();
  assert.deepEqual(
    readdirSync(join(context.home.runDir, "shell")).filter((name) => name.endsWith(".state")),
    [],
  );
});

test("a terminal is there when asked for", async (t) => {
  const { json } = bench(t);
  const result = await json(terminal, { command: "[ -t 1 ] && echo tty; export P=1", pty: true });
  assert.equal(result["output"], "tty");
});

const FOREVER = [
  "npm run dev",
  "sleep 100 &",
  "nohup x",
  "a && b & c",
  "docker compose up",
  "vite",
  "python3 -m http.server",
  "uvicorn app:app",
];
for (const command of FOREVER) {
  test(`${command} is sent to the background`, async (t) => {
    const result = await bench(t).json(terminal, { command });
    assert.equal(result["exit_code"], -1);
    assert.equal(result["status"], "error");
    assert.match(String(result["error"]), /background: true/);
  });
}

const ENDING = [
  "echo 'npm run dev'",
  "vite --help",
  "echo a && echo b",
  "echo x 2>&1",
  'echo "a & b"',
  "true &>/dev/null",
  "vite build",
];
for (const command of ENDING) {
  test(`${command} may run in the foreground`, async (t) => {
    assert.notEqual((await bench(t).json(terminal, { command }))["exit_code"], -1);
  });
}

test("no match of grep is not a failure", async (t) => {
  const result = await bench(t).json(terminal, { command: "echo a | grep b" });
  assert.equal(result["exit_code"], 1);
  assert.equal(result["exit_code_meaning"], "no match");
});

test("progress bars, colours and control characters are gone", async (t) => {
  const result = await bench(t).json(terminal, {
    command: "printf '10%%\\r50%%\\r100%%\\n\\033[31mred\\033[0m\\a \\033]0;title\\007end'",
  });
  assert.equal(result["output"], "100%\nred end");
});

test("each command runs like the first one of its conversation, in the directory that the one before it left", async (t) => {
  const { json, project } = bench(t);
  const first = await json(terminal, {
    command: "mkdir sub; cd sub; export A=1; echo $# $SHLVL $BASH_SUBSHELL; echo $- ; x=1 nosuch",
  });
  rmSync(join(project, "sub"), { recursive: true });
  mkdirSync(join(project, "sub"));
  const same = await json(terminal, {
    command:
      "cat; ls -a; echo $A $PWD $((SECONDS < 2)) [$OLDPWD] $# $- $SHLVL $BASH_SUBSHELL; env | grep -c AGENT_LINE; nosuch",
  });
  const sub = join(project, "sub");
  const lines = String(same["output"]).split("\n");
  const [told = "", flags = "", failure = ""] = String(first["output"]).split("\n");
  assert.deepEqual(lines.slice(0, 4), [".", "..", `1 ${sub} 1 [] 1 ${flags} 1 0`, "0"]);
  assert.deepEqual([told, lines[4]], ["1 1 0", failure]);
  assert.equal(same["cwd"], sub);
});

test("a command with a long text or in another directory is given as it is", async (t) => {
  const { json, project } = bench(t);
  await json(terminal, { command: "true" });
  const long = await json(terminal, { command: `printf %s ${"é".repeat(3_000)} | wc -m` });
  assert.equal(long["output"], "3000");
  mkdirSync(join(project, "a 'b\n$c"));
  const elsewhere = await json(terminal, { command: "pwd; exit 5", workdir: join(project, "a 'b\n$c") });
  assert.deepEqual([elsewhere["output"], elsewhere["exit_code"]], [join(project, "a 'b\n$c"), 5]);
});

test("each command leads its own session", async (t) => {
  if (process.platform !== "linux") return; // there is no /proc
  const { json } = bench(t);
  for (const code of [0, 3, 137]) {
    const seen = await json(terminal, {
      command: `read -r pid _ _ _ group session _ </proc/$$/stat; echo $$ $group $session; exit ${code}`,
    });
    const [pid, ...others] = String(seen["output"]).split(" ");
    assert.deepEqual(others, [pid, pid]);
    assert.equal(seen["exit_code"], code);
  }
});

test("what a command leaves running never shows in the output of the next one", async (t) => {
  const { json, context } = bench(t);
  const left = await json(terminal, {
    command: "bash -c 'for i in $(seq 100); do echo late; sleep 0.05; done & echo $!'",
  });
  const pid = Number(
    String(left["output"])
      .split("\n")
      .find((line) => /^\d+$/.test(line)),
  );
  assert.equal((await json(terminal, { command: "echo mine; sleep 0.2" }))["output"], "mine");
  context.ports.spawner.signal({ pid }, "SIGKILL");
});

test("a later command is ended in time, with all that it started", async (t) => {
  const { json, project } = bench(t);
  await json(terminal, { command: "true" });
  const seen = await json(terminal, {
    command: "bash -c '(sleep 1000; touch late) & echo $!; sleep 1000'",
    timeout: 1,
  });
  assert.equal(seen["exit_code"], 124);
  await gone(String(seen["output"]));
  assert.equal((await json(terminal, { command: "ls" }))["output"], "");
  assert.deepEqual(readdirSync(project), []);
});

test("where script is missing a command that wants a terminal runs without one, and says so", async (t) => {
  const { json, root } = bench(t);
  const bin = join(root, "bin");
  mkdirSync(bin);
  for (const name of ["bash", "sh", "env", "pwd"]) symlinkSync(realpathSync(`/bin/${name}`), join(bin, name));
  const result = await bench(t, { env: { PATH: bin } }).json(terminal, { command: "echo hi", pty: true });
  assert.deepEqual([result["output"], /script is not installed/.test(String(result["pty_note"]))], ["hi", true]);
  assert.equal((await json(terminal, { command: "echo hi" }))["pty_note"], undefined);
});
