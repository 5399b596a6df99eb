import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import { test } from "node:test";
import { noTmux, openTerminal } from "../../fixtures/e2e/tmux.js";
import { world } from "../../fixtures/e2e/world.js";
import { boardPlaces } from "../../lib/board/core/places.js";
import type { Task } from "../../lib/contracts/board/board.js";

const skip = noTmux() ?? false;

test("W18: a running worker's conversation and output grow on the screen, and it is stopped from there", {
  skip,
}, async (t) => {
  const made = await world(t);
  const terminal = await openTerminal(
    t,
    { ...made.env, TERM: "xterm-256color", NODE: process.execPath, AGENT: made.program },
    made.work,
  );
  await terminal.type('clear; "$NODE" "$AGENT"');
  await terminal.press("Enter");
  await terminal.until((screen) => screen.includes("Enter: send"));
  const body = "write file one.txt: first\nrun sleep 2\nwrite file two.txt: second\nrun sleep 300";
  const { id } = await made.json<Task>("kanban", "create", "work for long", "--assignee", "default", "--body", body);
  await terminal.press("F4");
  await terminal.until((screen) => new RegExp(`● +${id} default +work for long`).test(screen));
  await terminal.until((screen) => /terminal (.*)sleep (2|300)/.test(screen)); // what it does last stands in its row
  await terminal.press("Enter");
  await terminal.until((screen) => screen.includes("one.txt"));
  await terminal.until((screen) => screen.includes("two.txt"));
  await terminal.press("l");
  await terminal.until((screen) => screen.includes("=== run 1 profile=default"));
  appendFileSync(boardPlaces(made.home.dir, "default").log(id), "said by its process\n");
  await terminal.until((screen) => screen.includes("said by its process"));
  await terminal.press("X");
  await terminal.until((screen) => screen.includes(`Stop ${id}?`));
  await terminal.type("b");
  await terminal.until((screen) => /– (reclaimed|blocked)|⊘ blocked/.test(screen));
  assert.equal((await made.json<{ task: Task }>("kanban", "show", id)).task.status, "blocked");
});

test("W19: lines from before the workspace started, its level and text applied by a headless owner, and new ones as they are written", {
  skip,
}, async (t) => {
  const made = await world(t);
  await made.owner();
  await made.json("kanban", "create", "before", "--assignee", "nobody-there");
  const terminal = await openTerminal(
    t,
    { ...made.env, TERM: "xterm-256color", NODE: process.execPath, AGENT: made.program },
    made.work,
  );
  await terminal.type('clear; "$NODE" "$AGENT"');
  await terminal.press("Enter");
  await terminal.until((screen) => screen.includes("attached"));
  await terminal.press("F5");
  await terminal.until((screen) => screen.includes("owner started"));
  await terminal.press("1");
  await terminal.until((screen) => screen.includes("No lines at level error"));
  await terminal.press("5");
  await terminal.until((screen) => screen.includes("owner started"));
  await terminal.type("f");
  await terminal.type("nothing has this");
  await terminal.press("Enter");
  await terminal.until((screen) => screen.includes('with "nothing has this"'));
  await terminal.press("Escape");
  await terminal.until((screen) => screen.includes("owner started"));
  assert.doesNotMatch(await terminal.screen(), /settings reloaded/);
  appendFileSync(made.home.config, "goals:\n  max_turns: 7\n");
  await terminal.until((screen) => screen.includes("settings reloaded"));
});
