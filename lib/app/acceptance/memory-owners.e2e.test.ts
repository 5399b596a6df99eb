import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { world } from "../../../fixtures/e2e/world.js";

const WORDS = ["amber", "birch", "cedar", "daisy", "elder", "fern"];

/** A conversation that writes a fact with each request. */
const writes = (who: string) => ({
  pick: "history" as const,
  replies: [
    ...WORDS.map((word) => ({
      tool_calls: [
        {
          name: "memory",
          arguments: { action: "add", content: `${who}${word} ${word}${who}`, scope: "user", contradicts: "none" },
        },
      ],
    })),
    { tool_calls: [{ name: "kanban_complete", arguments: { summary: "written" } }] },
    { text: "written" },
  ],
});

test("the owner of a profile and a worker of ROOT's owner write one memory at once, and nothing is lost", async (t) => {
  const made = await world(t, { model: { scripts: { one: writes("one"), two: writes("two") } }, name: "script:one" });
  const { run, json, home } = made;
  assert.equal((await run(["profile", "create", "p"])).code, 0);
  copyFileSync(home.config, join(home.dir, "profiles", "p", "config.yaml"));
  await made.owner();
  const { id } = await json<{ readonly id: string }>(
    "kanban",
    "create",
    "remember",
    "--assignee",
    "p",
    "--model",
    "script:two",
  );
  const [{ task }, turn] = await Promise.all([made.settled(id), run(["-p", "p", "-z", "remember"])]);
  assert.equal(turn.code, 0, turn.err);
  assert.equal(task.status, "done");
  const { entries } = await json<{ readonly entries: readonly { readonly text: string }[] }>(
    "-p",
    "p",
    "memory",
    "export",
  );
  const expected = ["one", "two"].flatMap((who) => WORDS.map((word) => `${who}${word} ${word}${who}`));
  assert.deepEqual(entries.map(({ text }) => text).toSorted(), expected.toSorted());
});
