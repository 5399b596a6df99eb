import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { key, openScreen } from "../../fixtures/tui/screen.js";
import type { Message } from "../model/messages.js";

const typed = (text: string): Message => ({ type: "text", text });
const answer = (to: string, result: unknown): Message => ({ type: "called", to, ok: true, result });
const refusal = (to: string, message: string): Message => ({ type: "called", to, ok: false, code: "E_STATE", message });

async function setup(t: TestContext, command: string, [columns, rows]: readonly [number, number] = [120, 40]) {
  const made = await openScreen(columns, rows);
  t.after(made.close);
  made.at(0, 100_000);
  await made.send({ type: "session", id: "s_1", title: "", model: "m", items: [] }, typed(command), key("enter"));
  const screen = async (...messages: Message[]) => (await made.send(...messages)).join("\n");
  const calls = () => made.effects.flatMap((one) => (one.do === "call" ? [[one.method, one.params]] : []));
  return { ...made, screen, calls };
}

const RULE = {
  n: 1,
  list: "allow",
  rule: "terminal(npm test)\u001b[2J",
  source: "user",
  where: "/home/permissions.yaml",
  last_used: 40_000,
  counts: true,
};
const RULES = {
  rules: [
    RULE,
    {
      ...RULE,
      n: 2,
      list: "deny",
      rule: "terminal(rm *)",
      source: "project",
      where: "/work/.agent",
      last_used: null,
      counts: false,
    },
  ],
  mode: "ask",
  edits: "ask",
  yolo: false,
  classes: [],
  trusted: false,
  user_file: "",
  project_file: "",
  notices: [],
};

test("/permissions lists rules by source with their last use, control characters made visible", async (t) => {
  const { screen } = await setup(t, "/permissions");
  const shown = await screen(answer("permissions.list", RULES));
  assert.match(
    shown,
    /mode ask[\s\S]*yours[\s\S]*› allow +terminal\(npm test\)␛ +used 1m 00s ago[\s\S]*of the project[\s\S]*deny +terminal\(rm \*\) +not trusted/,
  );
});

test("a rule is removed only after it was named and confirmed", async (t) => {
  const { screen, calls } = await setup(t, "/permissions");
  const shown = await screen(answer("permissions.list", RULES), typed("j"), typed("x"));
  assert.match(shown, /Remove deny: terminal\(rm \*\) from \/work\/\.agent\?/);
  await screen(typed("k"), typed("x"), { type: "paste", text: "r" }, key("escape"));
  assert.ok(!calls().some(([method]) => method === "permissions.revoke"));
  await screen(typed("x"), typed("r"));
  assert.deepEqual(calls().at(-1), ["permissions.revoke", { cwd: "/", session_id: "s_1", n: 2 }]);
  await screen(answer("permissions.gone", {}));
  assert.equal(calls().at(-1)?.[0], "permissions.list");
});

const ROW = {
  id: "3fa29c01",
  reason: "before the patch",
  made_at: 40_000,
  changed: { files: 1, added: 3, removed: 1 },
  n: 1,
};
const DIFF = {
  checkpoint: ROW,
  changes: [
    { path: "src/lex.ts", change: "change", entry: "file", diff: "@@ -1 +1 @@\n-i < n\n+i < n - 1" },
    { path: "new.txt", change: "remove", entry: "file" },
    { path: "mine.txt", change: "change", entry: "file" },
  ],
  skipped: [{ path: "big.bin", why: "too large" }],
  outside: ["mine.txt"],
};

test("/checkpoints lists kept states, and what going back would change stands at the right", async (t) => {
  const { screen, calls } = await setup(t, "/checkpoints");
  await screen(answer("checkpoints.rows", [ROW]));
  assert.deepEqual(calls().at(-1), ["checkpoint.diff", { which: "3fa29c01" }]);
  const shown = await screen(answer("checkpoints.diff:3fa29c01", DIFF));
  for (const part of [
    /›.*3fa29c01 +before the patch.*\+3 −1 +1m 00s/,
    /src\/lex\.ts changes/,
    /new\.txt is removed/,
    /mine\.txt changes, changed by others/,
    /big\.bin is skipped: too large/,
    /\+i < n - 1/,
  ])
    assert.match(shown, part);
});

test("going back shows what changes, what is removed and what is skipped before it is done", async (t) => {
  const { screen, calls, state } = await setup(t, "/checkpoints");
  await screen(answer("checkpoints.rows", [ROW]), key("enter"));
  assert.match(state().message?.text ?? "", /still comparing/);
  const shown = await screen(answer("checkpoints.diff:3fa29c01", DIFF), key("enter"));
  assert.match(
    shown,
    /Restore 3fa29c01\? 2 paths change, 1 are removed\. 1 are skipped\. 1 changed by others are kept/,
  );
  await screen(typed("k"), key("enter"), key("escape"));
  assert.ok(!calls().some(([method]) => method === "checkpoint.restore"));
  await screen(key("enter"), typed("r"));
  assert.deepEqual(calls().at(-1), ["checkpoint.restore", { which: "3fa29c01", force: false, session_id: "s_1" }]);
  const report = { restored: ["src/lex.ts"], removed: ["new.txt"], skipped: [], failed: [], before: "77aa0000" };
  await screen(answer("checkpoints.done", report));
  assert.match(state().message?.text ?? "", /1 restored, 1 removed; 77aa0000 undoes it/);
});

test("without checkpoints it is said how to have them", async (t) => {
  const { screen } = await setup(t, "/checkpoints");
  assert.match(await screen(answer("checkpoints.rows", [])), /checkpoints\.enabled/);
});

const REPORT = {
  window: 100_000,
  free: 60_000,
  total: 40_000,
  parts: [
    { group: "system", name: "prompt", tokens: 10_000 },
    { group: "messages", name: "messages", tokens: 30_000 },
  ],
};

test("/context shows bars and the table, Tab goes to the cost, letters choose its scope", async (t) => {
  const { screen, calls } = await setup(t, "/context");
  const shown = await screen(
    answer("usage.answer:context:session", { text: "m (acme): 40k of 100k tokens", exit: 0, data: REPORT }),
  );
  for (const part of [/system prompt +█+░+ +10 %/, /messages +█+░+ +30 %/, /free +█+░+ +60 %/, /40k of 100k tokens/])
    assert.match(shown, part);
  await screen(key("tab"), typed("w"));
  assert.deepEqual(calls().at(-1)?.[1], { text: "/cost week", data: true, columns: 100, session_id: "s_1" });
  assert.match(await screen(answer("usage.answer:context:session", { text: "late", exit: 0 })), /loading…/);
  assert.match(await screen(refusal("usage.answer:cost:week", "the store is closed")), /the store is closed/);
});

test("/theme shows each theme while the mark is on it, Escape brings the old one back", async (t) => {
  const { screen, state, calls } = await setup(t, "/theme");
  const before = state().display.theme;
  await screen(typed("j"), typed("j"));
  assert.notEqual(state().display.theme, before);
  await screen(key("escape"));
  assert.equal(state().display.theme, before);
  await screen(typed("/theme"), key("enter"), key("end"), key("enter"));
  assert.deepEqual(calls().at(-1), ["config.set", { key: "display.theme", value: state().display.theme }]);
});

for (const command of ["/permissions", "/checkpoints", "/context", "/theme"])
  for (const size of [
    [40, 12],
    [80, 24],
  ] as const)
    test(`${command} stands whole on a screen of ${size.join("x")}, and Escape closes it`, async (t) => {
      const { screen, state } = await setup(t, command, size);
      const shown = await screen(answer("permissions.list", RULES), answer("checkpoints.rows", [ROW]));
      assert.match(shown, /╔[\s\S]*╝/);
      await screen(key("escape"));
      assert.equal(state().overlay, undefined);
    });
