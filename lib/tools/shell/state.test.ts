import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { bench } from "../../../fixtures/worlds/tool-context.js";
import terminal from "./terminal.js";

/** Commands of one conversation, one after the other. */
function setup(t: TestContext) {
  const { json, context } = bench(t);
  const held = () => context.state.entry<{ close(): Promise<void> }>("terminal", assert.fail);
  const run = async (command: string): Promise<unknown> => (await json(terminal, { command }))["output"];
  const files = () => readdirSync(join(context.home.runDir, "shell")).filter((name) => name.endsWith(".state"));
  return { run, files, close: () => held().close() };
}

test("commands one after the other hand their state back, and no file of it is left", async (t) => {
  const { run, files, close } = setup(t);
  for (const command of ["export A=1", "cd /", "false"]) await run(command);
  assert.equal(await run("echo $A $PWD"), "1 /");
  await close();
  assert.deepEqual(files(), []);
});

test("a command that forbids writing over files hands its state back as any other does", async (t) => {
  const { run } = setup(t);
  await run("set -o noclobber; export KEPT=1");
  assert.equal(await run("echo $KEPT"), "1");
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

test("what is handed back may be shorter than what was handed back before", async (t) => {
  const { run } = setup(t);
  await run("true");
  await run("export LONG=$(printf %9000s x); cd /usr/bin");
  await run("unset LONG; export A=1; cd /");
  assert.equal(await run("echo [$LONG] $A $PWD"), "[] 1 /");
  assert.equal(await run('export A=2; echo "$A"'), "2");
});
