import assert from "node:assert/strict";
import { test } from "node:test";
import { openFixture, SILENT } from "../../fixtures/tui/workspace.js";
import type { Programs } from "./programs.js";

type Fixture = Awaited<ReturnType<typeof openFixture>>;

const CTRL_G = "\x07";
const CTRL_Z = "\x1a";

/** A program that has the terminal until the test, or whoever ends it, says so. */
function program() {
  const ended: string[] = [];
  let end: () => void = () => undefined;
  const run: Programs["run"] = (_argv, { signal }) =>
    new Promise<number>((resolve) => {
      end = () => resolve(0);
      signal?.addEventListener("abort", () => {
        ended.push("SIGTERM");
        resolve(143);
      });
    });
  return { ended, end: () => end(), programs: { run, edit: edited } };
}

const edited: Programs["edit"] = async (text, ending, work) => {
  await work(`/tmp/text${ending}`);
  return text;
};

/** Nothing of the workspace is on the terminal, and nothing comes any more. */
async function staysAway(screen: Fixture, from: number): Promise<void> {
  for (const _round of Array.from({ length: 4 })) await screen.settle(500);
  assert.ok(!screen.seen.raw && !screen.alternate());
  assert.equal(screen.seen.bytes.slice(from), "");
}

test("events that arrive after the terminal was given back write nothing to it", async (t) => {
  const screen = await openFixture(t, { owner: false, answers: { "session.get": SILENT, "session.close": SILENT } });
  screen.tell("session:s", "turn.started", {});
  screen.tell("session:s", "text.delta", { text: "some words" });
  await screen.settle(60);
  screen.leaving.abort();
  await screen.settle();
  assert.ok(!screen.seen.raw && !screen.alternate());
  const from = screen.seen.bytes.length;
  screen.tell("session:s", "clarify.requested", {
    request: "q",
    question: "Which drink?",
    choices: ["tea"],
    origin: {},
  });
  screen.tell("display", "display.changed", { values: { "display.mouse": true }, themes: [] });
  await staysAway(screen, from);
});

test("an editor that is open when the workspace is ended is ended with it, and does not bring it back", async (t) => {
  const { ended, programs } = program();
  const screen = await openFixture(t, { env: { EDITOR: "vi" }, programs });
  await screen.type("half a message");
  await screen.type(CTRL_G);
  await screen.settle(40);
  assert.ok(!screen.seen.raw && !screen.alternate());
  screen.leaving.abort();
  await screen.settle();
  assert.deepEqual(ended, ["SIGTERM"]);
  await staysAway(screen, screen.seen.bytes.length);
});

test("an editor that does not end when it is asked to does not bring the workspace back later", async (t) => {
  let end: () => void = () => undefined;
  const run: Programs["run"] = () =>
    new Promise<number>((resolve) => {
      end = () => resolve(0);
    });
  const screen = await openFixture(t, { env: { EDITOR: "vi" }, programs: { run, edit: edited } });
  await screen.type(CTRL_G);
  await screen.settle(40);
  screen.leaving.abort();
  await screen.settle(1_000);
  const from = screen.seen.bytes.length;
  end();
  await staysAway(screen, from);
});

test("a suspended workspace that is ended does not take the terminal again when it is continued", async (t) => {
  const screen = await openFixture(t);
  await screen.type(CTRL_Z);
  assert.equal(screen.seen.suspended, 1);
  screen.leaving.abort();
  await screen.settle();
  const from = screen.seen.bytes.length;
  screen.resume();
  screen.continued();
  await staysAway(screen, from);
});
