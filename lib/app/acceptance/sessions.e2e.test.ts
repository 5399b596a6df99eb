import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type World, world } from "../../../fixtures/e2e/world.js";
import { askedOf } from "../../../fixtures/servers/model/script.js";
import { systemCode } from "../../base/errors.js";

/** User and assistant texts of the newest request of a conversation. */
const sent = ({ model }: World): readonly unknown[] =>
  (model.chats().at(-1)?.body?.messages ?? []).filter(({ role }) => role !== "system").map(({ content }) => content);

/** Files of the home that hold a text, journals and logs included. */
function holding(dir: string, text: string): string[] {
  const names = readdirSync(dir, { recursive: true, encoding: "utf8" });
  return names.filter((name) => textOf(join(dir, name)).includes(text));
}

/** Empty for a directory, and for what the owner has taken away since it was listed. */
function textOf(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return "";
  try {
    return readFileSync(path, "latin1");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return "";
    throw error;
  }
}

test("C52, C53, C55, C56: a conversation is gone on with, undone, branched and deleted by processes that come and go", async (t) => {
  const made = await world(t, {
    model: { script: (request) => ({ text: `heard: ${askedOf(request)}` }) },
    name: "any",
  });
  const { run, home } = made;
  const first = await run(["chat", "-q", "hi"]);
  const id = /resume with: agent --resume (\S+)/.exec(first.err)?.[1] ?? assert.fail(first.err);
  assert.equal((await run(["--resume", id, "-z", "the quuxzebra"])).out, "heard: the quuxzebra\n");
  assert.deepEqual(sent(made), ["hi", "heard: hi", "the quuxzebra"]);
  await made.owner();
  assert.match((await run(["-c", "-z", "/undo"])).out, /^Undone: 1 exchange, 2 messages removed/);
  assert.equal((await run(["sessions", "search", "quuxzebra"])).out, "No matches.\n");
  await run(["-c", "-z", "/redo"]);
  await run(["--resume", id, "-z", "/branch side"]);
  await run(["-c", "side", "-z", "in the branch"]);
  assert.deepEqual(sent(made), ["hi", "heard: hi", "the quuxzebra", "heard: the quuxzebra", "in the branch"]);
  const wrong = await run(["-c", "side", "-z", "/exit foo"]);
  assert.deepEqual([wrong.code, wrong.out], [2, "Unknown argument for /exit: foo (use /exit or /exit --delete)\n"]);
  for (const name of ["side", id]) assert.equal((await run(["--resume", name, "-z", "/exit --delete"])).code, 0);
  assert.deepEqual(await made.json("sessions", "list"), []);
  assert.deepEqual(holding(home.dir, "quuxzebra"), []);
});
