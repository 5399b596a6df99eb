import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { layOutHome } from "../../base/home.js";
import type { SessionId } from "../../base/units.js";
import type { ApprovalAsked, ApprovalOption } from "../../contracts/chat/questions.js";
import type { ApprovalScope } from "../../safety/approve/approve.js";
import { ruleFiles } from "../../safety/rules/rules.js";
import type { Permission } from "../../tools/core/define.js";
import { createGrantBook, grantRules, withRules } from "./grants.js";
import { createPermit } from "./permit.js";

const home = layOutHome("/srv/user/.agent");
const SCOPE: ApprovalScope = {
  paths: { home, userHome: "/srv/user", project: "/srv/user/p", env: {} },
  yolo: false,
  mode: "manual",
  edits: "allow",
  allowlist: [],
  rules: { rules: [], notices: [], errors: [], untrusted: [] },
};

const act = (action: string, window = "xterm#70"): Permission => ({
  kind: "desktop",
  tool: "computer_use",
  command: `${action} in xterm`,
  cwd: "/srv/user/p",
  desktop: { action, apps: ["xterm"], window },
});

/** Two conversations over one book of grants; every question is answered by `answers`. */
function setup() {
  const clock = manualClock();
  const stored = new Map<string, string>();
  const book = createGrantBook(
    {
      read: async (root) => stored.get(root),
      write: async (root, json) => {
        stored.set(root, json);
      },
    },
    clock,
  );
  const answers: ApprovalOption[] = [];
  const asked: ApprovalAsked[] = [];
  const conversation = (root: SessionId) => {
    const permit = createPermit({
      clock,
      redact: (text) => text,
      timeoutMs: () => 1_000,
      scope: async () => ({
        scope: { ...SCOPE, grants: grantRules(await book.of(root)) },
        files: ruleFiles("/nowhere/that/exists", "/nowhere/p"),
      }),
      asker: {
        reached: () => true,
        park: async () => ({ action: "cancel", content: {} }) as const,
        waited: () => 0,
        ask: async (question, how) => {
          if (question.kind !== "approval") throw new Error("not a question of this test");
          asked.push(question.data);
          const answer = answers.shift() ?? "deny";
          await how.take?.({ answer });
          return { answered: true, answer, by: "test" };
        },
      },
      grant: async (values) => {
        await book.change(root, (grants) => withRules(grants, values, clock.now()));
      },
      grantEdits: async () => undefined,
      used: () => undefined,
    });
    const call = { cwd: "/srv/user/p", callId: "c", signal: new AbortController().signal };
    return async (permission: Permission) => await permit(permission, call);
  };
  return { answers, asked, one: conversation("s_1" as SessionId), two: conversation("s_2" as SessionId) };
}

test("once allows one call on the desktop, session its action, always every action: each in its window and conversation", async () => {
  const { answers, asked, one, two } = setup();
  answers.push("once", "session", "always");
  assert.ok((await one(act("click"))).allowed);
  assert.ok((await one(act("click"))).allowed);
  assert.ok((await one(act("click"))).allowed);
  assert.equal(asked.length, 2);
  assert.ok((await one(act("type"))).allowed);
  assert.ok((await one(act("key"))).allowed);
  assert.equal(asked.length, 3);
  assert.equal((await one(act("key", "xterm#71"))).allowed, false);
  assert.equal((await two(act("click"))).allowed, false);
  assert.equal(asked.length, 5);
  const [first] = asked;
  assert.deepEqual([first?.kind, first?.options], ["desktop", ["once", "session", "always", "deny"]]);
});

test("a denial of a person on the desktop is told as one", async () => {
  const { one } = setup();
  const answer = await one(act("click"));
  assert.ok(!answer.allowed);
  assert.equal(answer.byUser, true);
});
