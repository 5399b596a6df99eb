import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { openScreen } from "../../fixtures/tui/screen.js";
import type { ScreenStart } from "../../lib/contracts/ui/screen-start.js";

const OFFLINE = { how: "offline", provider: "offline", model: "" } as const;

async function setup(t: TestContext, start: ScreenStart) {
  const made = await openScreen(120, 30);
  t.after(made.close);
  made.at(0, 7_261_000);
  await made.send({ type: "session", id: "s_2", title: "", model: "", items: [] });
  assert.deepEqual(made.effects.at(-1), {
    do: "call",
    method: "screen.start",
    params: { cwd: "", session_id: "s_2" },
    to: "start",
    reads: true,
  });
  return (await made.send({ type: "called", to: "start", ok: true, result: start })).join("\n");
}

test("a first start says who answers, what that can do, how to set up a model, and what to try", async (t) => {
  const shown = await setup(t, { offer: null, serving: OFFLINE });
  for (const part of [
    /Using the offline assistant: no model is set up/,
    /It follows fixed rules/,
    /To add a model, type \/setup, or quit and run agent setup/,
    /Try: list files · read README\.md · run git status/,
  ])
    assert.match(shown, part);
});

test("a model server that was found is named", async (t) => {
  const shown = await setup(t, { offer: null, serving: { how: "found", provider: "custom", model: "qwen3" } });
  assert.match(shown, /Using qwen3 from a model server found on this machine/);
});

test("with a model set up a line names it and how to choose another, and the newest conversation of the directory is offered in another", async (t) => {
  const offer = { id: "s_1", title: "fix the parser\u001b[2J", messages: 4, last_active_at: 60_000 };
  const shown = await setup(t, { offer, serving: { how: "configured", provider: "acme", model: "big" } });
  assert.match(
    shown,
    /Last session here: “fix the parser␛”, 4 messages, 2h 00m ago\. Press\s+Ctrl\+O\s+or\s+run\s+agent\s+-c\s+to\s+continue\./,
  );
  assert.match(shown, /New session\. .*\n acme big answers\. To choose another model, type \/model\. *\n/);
  assert.doesNotMatch(shown, /offline/);
  const nameless = await setup(t, { offer: null, serving: { how: "configured", provider: "acme", model: "" } });
  assert.doesNotMatch(nameless, /answers/);
});

test("where commands are not caged the start says so once, with the reason and the remedy; with the cage on it says nothing", async (t) => {
  const serving = { how: "configured", provider: "acme", model: "big" } as const;
  const missing = {
    state: "missing",
    why: "bubblewrap (bwrap) is not installed",
    remedy: "sudo apt-get install bubblewrap",
  } as const;
  const shown = await setup(t, { offer: null, serving, cage: missing });
  assert.match(
    shown,
    /Commands are not sandboxed: bubblewrap \(bwrap\) is not installed\. To fix: sudo apt-get install\s+bubblewrap/,
  );
  const caged = await setup(t, { offer: null, serving, cage: { state: "on", why: "", remedy: "" } });
  assert.doesNotMatch(caged, /cage/);
});
