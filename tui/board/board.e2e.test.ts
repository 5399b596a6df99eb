import assert from "node:assert/strict";
import { test } from "node:test";
import { noTmux, openTerminal } from "../../fixtures/e2e/tmux.js";
import { world } from "../../fixtures/e2e/world.js";

const skip = noTmux() ?? false;

test("W15, W16: a task made on the board by keys is watched until it is done; a change made elsewhere is seen too", {
  skip,
}, async (t) => {
  const made = await world(t, { model: {}, name: "script:worker" });
  const env = { ...made.env, TERM: "xterm-256color", NODE: process.execPath, AGENT: made.program };
  const terminal = await openTerminal(t, env, made.work);
  await terminal.type('clear; "$NODE" "$AGENT"');
  await terminal.press("Enter");
  await terminal.until((screen) => screen.includes("Enter: send"));
  await terminal.press("F3");
  await terminal.until((screen) => screen.includes("Press a to add one"));
  await terminal.press("a");
  await terminal.until((screen) => screen.includes("New task"));
  await terminal.type("write hello.txt");
  for (const key of ["Tab", "Tab"]) await terminal.press(key);
  await terminal.until((screen) => /› Assignee .*\n *║ +default /.test(screen)); // the profiles are offered
  await terminal.type("default");
  await terminal.press("M-Enter");
  await terminal.until((screen) => screen.includes("Created t_"));
  await terminal.until((screen) => /running 1/.test(screen) || /done 1/.test(screen));
  const done = await terminal.until((screen) => /done 1/.test(screen) && screen.includes("write hello.txt"));
  const id = /t_[0-9a-f]{8}/.exec(done)?.[0] ?? "";
  const { task } = await made.settled(id);
  assert.deepEqual([task.title, task.assignee, task.status], ["write hello.txt", "default", "done"]);
  assert.equal((await made.run(["kanban", "boards", "pause"])).code, 0); // no one works it again: it stays as it is to be seen
  await made.json("kanban", "reopen", id);
  await terminal.until((screen) => /done 0/.test(screen));
});
