import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { slashWorld } from "../../../fixtures/sim/slash-world.js";

test("/copy gives the front end an answer as the model wrote it, by its number from the newest", async (t) => {
  const { create, say, slash } = slashWorld(t);
  const { id } = await create();
  await say(id, "one");
  await say(id, "two");
  assert.equal((await slash("/copy", id)).next?.copy, "heard: two");
  assert.equal((await slash("/copy 2", id)).next?.copy, "heard: one");
});

test("/copy code takes the last block of the newest answer that has one", async (t) => {
  const { create, say, slash } = slashWorld(t);
  const { id } = await create();
  await say(id, "see\n```sh\nls\n```\nand\n~~~\nline 1\n```\nline 3\n~~~\n");
  await say(id, "no code");
  assert.equal((await slash("/copy code", id)).next?.copy, "line 1\n```\nline 3");
});

test("/copy of an answer of megabytes writes the file and names it", async (t) => {
  const { create, say, slash, home } = slashWorld(t);
  const { id } = await create();
  await say(id, "y".repeat(1_200_000));
  const answer = await slash("/copy", id);
  const file = join(home.cache, "clipboard.txt");
  assert.equal(answer.text, `1 line: too long for the clipboard, saved to ${file}`);
  assert.equal(readFileSync(file, "utf8"), `heard: ${"y".repeat(1_200_000)}`);
});

const NONE = [
  { text: "/copy 9", why: /only 1 answers/ },
  { text: "/copy code", why: /no code block in the answers/ },
  { text: "/copy everything", why: /a number, or code/ },
];

for (const { text, why } of NONE)
  test(`${text} says why there is nothing to copy`, async (t) => {
    const { create, say, slash } = slashWorld(t);
    const { id } = await create();
    await say(id, "one");
    const answer = await slash(text, id);
    assert.notEqual(answer.exit, 0);
    assert.match(answer.text, why);
    assert.equal(answer.next?.copy, undefined);
  });
