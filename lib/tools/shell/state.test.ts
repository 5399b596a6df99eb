import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { bench } from "../../../fixtures/worlds/tool-context.js";
import type { Shell } from "./image.js";
import { readHanded } from "./ready.js";
import terminal from "./terminal.js";

/** Commands of which each runs in the shell that waits for it. */
function setup(t: TestContext) {
  const { json, context } = bench(t);
  const held = () => context.state.entry<{ shell: Promise<Shell>; close(): Promise<void> }>("terminal", assert.fail);
  const run = async (command: string): Promise<unknown> => {
    const { output } = await json(terminal, { command });
    const shell = await held().shell;
    while (shell.next === undefined) await setImmediate();
    return output;
  };
  const files = () => readdirSync(join(context.home.runDir, "shell")).filter((name) => name.endsWith(".state"));
  return { run, files, shell: () => held().shell, close: () => held().close() };
}

test("commands one after the other hand their state back through one file, which goes with the shell that waits", async (t) => {
  const { run, files, shell, close } = setup(t);
  await run("true");
  await run("true");
  const one = files();
  assert.equal(one.length, 1);
  for (const command of ["export A=1", "cd /", "false"]) {
    await run(command);
    assert.deepEqual(files(), one);
  }
  assert.equal(await run("echo $A $PWD"), "1 /");
  const last = (await shell()).next ?? assert.fail("no shell waits");
  await close();
  await last.child.exited;
  while (files().length > 0) await setImmediate();
});

for (const end of ["exec true", "kill -9 $$", "trap - EXIT"]) {
  test(`a shell that hands nothing back (${end}) leaves what the one before has handed back`, async (t) => {
    const { run } = setup(t);
    await run("true");
    await run("export A=1; cd /");
    await run(`export A=2 B=2; cd /usr; ${end}`);
    assert.equal(await run("echo $A [$B] $PWD"), "1 [] /");
  });
}

test("what is handed back may be shorter than what the file held before", async (t) => {
  const { run } = setup(t);
  await run("true");
  await run("export LONG=$(printf %9000s x); cd /usr/bin");
  await run("unset LONG; export A=1; cd /");
  assert.equal(await run("echo [$LONG] $A $PWD"), "[] 1 /");
  assert.equal(await run('export A=2; echo "$A"'), "2");
});

test("of a file that holds the states of two shells only the newer one is read, and only when it is whole", () => {
  const state = (exports: string, pid: number): string => `${exports}\0/tmp\n\0${pid}\0`;
  const older = state('declare -x A="an old value"\n', 41);
  const over = (text: string): string => text + older.slice(text.length);
  assert.deepEqual(readHanded(over(state("declare -x A\n", 42)), 42), { exports: "declare -x A\n", cwd: "/tmp" });
  const newer = state("declare -x A\n", 42);
  for (let written = 0; written < newer.length - 1; written++)
    assert.equal(readHanded(over(newer.slice(0, written)), 42), undefined);
  assert.equal(readHanded(""), undefined);
  assert.equal(readHanded("declare -x A\n\0/tmp\n\0"), undefined);
});
