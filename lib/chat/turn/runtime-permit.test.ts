import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { proves } from "../../../fixtures/requirements.js";
import { layOutHome } from "../../base/home.js";
import type { Denied } from "../../contracts/chat/chat.js";
import type { ApprovalAsked, ApprovalOption, QuestionOutcome } from "../../contracts/chat/questions.js";
import type { RuntimePermission } from "../../contracts/runtimes/runtime.js";
import type { ApprovalScope } from "../../safety/approve/approve.js";
import { parseRuleEntry } from "../../safety/rules/entry.js";
import { type ListName, ruleFiles, type SourcedRule } from "../../safety/rules/rules.js";
import type { Permission, ToolContext, UserAnswer } from "../../tools/core/define.js";
import { createPermit, type PermitDeps } from "../approvals/permit.js";
import { newTurnFacts } from "../approvals/turn-facts.js";
import type { Asker } from "../questions/asker.js";
import { createRuntimeAsking } from "./runtime-permit.js";

const home = layOutHome("/srv/user/.agent");
const PROJECT = "/srv/user/p";
const SCOPE: ApprovalScope = {
  paths: { home, userHome: "/srv/user", project: PROJECT, env: {}, temporary: [] },
  yolo: false,
  mode: "smart",
  edits: "allow",
  allowlist: [],
  rules: { rules: [], notices: [], errors: [], untrusted: [] },
};

const COMMAND: RuntimePermission = {
  tool: "exec_command",
  callId: "call_5",
  kind: "command",
  command: "/bin/bash -lc 'touch /outside && echo did'",
  cwd: PROJECT,
  reason: "need it",
  args: { command: "/bin/bash -lc 'touch /outside && echo did'", cwd: PROJECT },
};
const HARMLESS: RuntimePermission = { ...COMMAND, command: "/bin/bash -lc 'echo hi'" };
const WRITE: RuntimePermission = {
  tool: "apply_patch",
  callId: "call_17",
  kind: "write",
  command: `1 add: ${PROJECT}/new.txt`,
  cwd: PROJECT,
  paths: [`${PROJECT}/new.txt`],
};
const TOOL: RuntimePermission = {
  tool: "mcp.fs.write_file",
  callId: "call_9",
  kind: "tool",
  command: 'write_file of the MCP server fs {"path":"w.txt"}',
  cwd: PROJECT,
  args: { path: "w.txt" },
  scopes: ["session", "always"],
};
const NETWORK: RuntimePermission = {
  ...COMMAND,
  kind: "tool",
  command: "network access to example.com (https)",
  hosts: ["example.com"],
};
const TYPED: RuntimePermission = { ...COMMAND, typed: true, into: "python3 -i", command: "import os\n" };

interface Given {
  readonly rules?: readonly (readonly [ListName, unknown])[];
  readonly scope?: Partial<ApprovalScope>;
  readonly answer?: ApprovalOption | ((signal: AbortSignal) => Promise<QuestionOutcome>);
  readonly alone?: true;
  readonly hook?: (fields: unknown) => { readonly block: string } | undefined;
  readonly deps?: Partial<PermitDeps>;
  readonly said?: UserAnswer;
  readonly broken?: true;
}

function rule([list, value]: readonly [ListName, unknown]): SourcedRule {
  const parsed = parseRuleEntry({ list, value });
  assert.ok(typeof parsed !== "string", String(parsed));
  return { list, rule: parsed, source: "user", value };
}

function setup(given: Given = {}) {
  const asked: ApprovalAsked[] = [];
  const granted: unknown[] = [];
  const denied: Denied[] = [];
  const hooked: unknown[] = [];
  const said: unknown[] = [];
  const warnings: string[] = [];
  const { answer = "once" } = given;
  const asker: Asker = {
    ask: async (question, how) => {
      assert.ok(question.kind === "approval");
      asked.push(question.data);
      if (typeof answer !== "string") return answer(how.signal);
      assert.ok(question.data.options.includes(answer), `${answer} of ${question.data.options.join(", ")}`);
      await how.take?.({ answer });
      return { answered: true, answer, by: "test" };
    },
    reached: () => true,
    park: async () => ({ action: "cancel", content: {} }),
    waited: () => 0,
  };
  const rules = { ...SCOPE.rules, rules: (given.rules ?? []).map(rule) };
  const permit = createPermit({
    clock: manualClock(),
    ...(given.alone === true ? {} : { asker }),
    redact: (text) => text.replaceAll("s3cret", "[secret]"),
    timeoutMs: () => 300_000,
    scope: async () => ({ scope: { ...SCOPE, rules, ...given.scope }, files: ruleFiles(home.dir, PROJECT) }),
    aux: { state: async () => "usable", ask: async () => ({ ok: true, text: "APPROVE" }) },
    grant: async (values) => {
      granted.push(...values);
    },
    grantEdits: async () => undefined,
    used: () => undefined,
    ...given.deps,
  });
  const turn = new AbortController();
  const facts = newTurnFacts();
  const context = (callId: string, signal: AbortSignal) =>
    ({
      callId,
      session: "s1",
      turn: "t1",
      signal,
      log: { warning: (text: string) => warnings.push(text) },
      redact: (text: string) => text.replaceAll("s3cret", "[secret]"),
      permit: async (permission: Permission) => {
        if (given.broken === true) throw new Error("store is full");
        return permit(permission, { cwd: PROJECT, callId, signal, facts });
      },
      readUntrusted: () => {
        facts.untrusted = true;
      },
      ...(given.hook === undefined
        ? {}
        : {
            hooks: {
              has: () => true,
              preToolCall: async (fields: unknown) => {
                hooked.push(fields);
                return given.hook?.(fields);
              },
            },
          }),
      ...(given.said === undefined
        ? {}
        : {
            ask: async (question: string, choices: readonly string[]) => {
              said.push({ question, choices });
              return given.said;
            },
            askHidden: async (prompt: string) => {
              said.push({ prompt });
              return "hunter2";
            },
          }),
    }) as unknown as ToolContext; // the members that asking uses
  const asking = createRuntimeAsking({ context, signal: turn.signal, denied: (one) => denied.push(one) });
  const never = new AbortController().signal;
  return {
    permit: (permission: RuntimePermission, signal = never) => asking.permit(permission, signal),
    ask: (question: Parameters<typeof asking.ask>[0]) => asking.ask(question, never),
    asked,
    granted,
    denied,
    hooked,
    said,
    warnings,
    turn,
    facts,
  };
}

for (const permission of [COMMAND, HARMLESS, WRITE, TOOL, NETWORK])
  test(`a person is asked about ${permission.tool} ${permission.command}, whatever its risk and whatever a model thinks of it`, async (t) => {
    proves(t, "appserver.server-requests");
    const yes = setup({ answer: "once" });
    assert.equal(await yes.permit(permission), "once");
    assert.equal(yes.asked[0]?.command, permission.command);
    const no = setup({ answer: "deny" });
    assert.equal(await no.permit(permission), "deny");
    assert.equal(no.asked.length, 1);
    const nobody = setup({ alone: true });
    assert.equal(await nobody.permit(permission), "deny");
    assert.equal(nobody.denied[0]?.tool, permission.tool);
  });

test("a question of a program shows command, directory and reason", async () => {
  const { permit, asked } = setup();
  await permit(COMMAND);
  assert.equal(asked[0]?.cwd, PROJECT);
  assert.match(asked[0]?.reasons.map(({ text }) => text).join("\n") ?? "", /need it/);
});

const STORED: readonly (readonly [RuntimePermission, unknown])[] = [
  [HARMLESS, { line: "echo hi" }],
  [WRITE, `write:${PROJECT}/new.txt`],
  [TOOL, "tool:mcp.fs.write_file"],
  [NETWORK, "fetch:example.com"],
];
for (const [permission, value] of STORED)
  test(`an answer for the session about ${permission.command} is remembered exactly as that, and not asked again`, async () => {
    const { permit, granted } = setup({ answer: "session" });
    assert.equal(await permit(permission), "session");
    assert.deepEqual(granted, [value]);
    const later = setup({ scope: { grants: [rule(["allow", value])] }, answer: "deny" });
    assert.equal(await later.permit(permission), "once");
    assert.deepEqual(later.asked, []);
  });

test("only scopes that the program can remember are offered", async () => {
  const { permit, asked } = setup();
  await permit({ ...TOOL, scopes: [] });
  await permit({ ...TOOL, scopes: ["session"] });
  await permit(TOOL);
  assert.deepEqual(
    asked.map(({ options }) => options),
    [
      ["once", "deny"],
      ["once", "session", "deny"],
      ["once", "session", "project", "always", "deny"],
    ],
  );
});

const DENIED: readonly (readonly [string, RuntimePermission, unknown])[] = [
  ["a command inside its shell", COMMAND, "touch"],
  ["what it writes", COMMAND, "write:/outside"],
  ["our tool for commands", HARMLESS, "tool:terminal"],
  ["its own tool", HARMLESS, "tool:exec_command"],
  ["what a command may write beyond its sandbox", { ...HARMLESS, paths: ["/var/data"] }, "write:/var/data"],
  ["a changed file", WRITE, "write:*.txt"],
  ["our tool for files", WRITE, "tool:write_file"],
  ["a tool of a server by the name that our own connection has for it", TOOL, "tool:mcp_fs_write_file"],
  ["tools of a server by the program's name", TOOL, "tool:mcp.fs.*"],
  ["a host", NETWORK, "fetch:example.com"],
  ["typed text that is a command", { ...TYPED, command: "git push\n" }, "git push"],
];
for (const [what, permission, value] of DENIED)
  test(`a deny rule about ${what} declines without a question, under --yolo and for a human checkpoint too`, async () => {
    for (const more of [{}, { scope: { yolo: true } }]) {
      const { permit, asked } = setup({ rules: [["deny", value]], ...more });
      assert.equal(await permit(permission), "deny");
      assert.equal(await permit({ ...permission, person: true }), "deny");
      assert.deepEqual(asked, []);
    }
  });

const ALLOWED: readonly (readonly [RuntimePermission, unknown])[] = [
  [COMMAND, { line: "touch /outside && echo did" }],
  [{ ...COMMAND, command: "/usr/bin/zsh -c 'touch /outside'" }, "touch /outside"],
  [WRITE, "write:new.txt"],
  [TOOL, "tool:mcp.fs.*"],
  [NETWORK, "fetch:*.com"],
];
for (const [permission, value] of ALLOWED)
  test(`the allow rule ${JSON.stringify(value)} answers ${permission.command}, but no human checkpoint`, async () => {
    const { permit, asked } = setup({ rules: [["allow", value]], answer: "deny" });
    assert.equal(await permit(permission), "once");
    assert.deepEqual(asked, []);
    assert.equal(await permit({ ...permission, person: true }), "deny");
    assert.equal(asked.length, 1);
  });

test("an allow rule for one command of a line does not answer for the others", async () => {
  const { permit, asked } = setup({ rules: [["allow", "touch /outside"]], answer: "deny" });
  assert.equal(await permit({ ...COMMAND, command: "bash -lc 'touch /outside && rm -rf q'" }), "deny");
  assert.equal(asked.length, 1);
});

test("where our commands have a cage, only a rule with cage: off lets a command of a program leave its sandbox", async () => {
  const cage = { eases: true, writable: [] };
  const inside = setup({ scope: { cage }, rules: [["allow", "touch /outside"]], answer: "deny" });
  assert.equal(await inside.permit(COMMAND), "deny");
  assert.match(inside.asked[0]?.reasons.map(({ text }) => text).join("\n") ?? "", /runs outside the cage: .*need it/);
  const off = setup({
    scope: { cage },
    rules: [["allow", { command: "touch /outside", cage: "off" }]],
    answer: "deny",
  });
  assert.equal(await off.permit(COMMAND), "once");
});

test("commands of a backend that is elsewhere pass by themselves; those of a program run here and are asked about", async () => {
  const { permit } = setup({ scope: { isolated: true }, answer: "deny" });
  assert.equal(await permit(COMMAND), "deny");
});

test("with approvals off everything is accepted without a question but a human checkpoint", async (t) => {
  proves(t, "appserver.server-requests");
  for (const scope of [{ yolo: true }, { mode: "off" }]) {
    const { permit, asked } = setup({ scope, answer: "deny" });
    for (const permission of [COMMAND, WRITE, TOOL, NETWORK, TYPED]) assert.equal(await permit(permission), "once");
    assert.deepEqual(asked, []);
    assert.equal(await permit({ ...COMMAND, person: true }), "deny");
    assert.equal(await permit({ ...WRITE, person: true }), "deny");
    assert.equal(asked.length, 2);
  }
});

test("a command on the hard block list is declined without a question, under --yolo, typed, or for a human checkpoint", async () => {
  for (const scope of [{}, { yolo: true }]) {
    const { permit, asked } = setup({ scope });
    const blocked = { ...COMMAND, command: "/bin/bash -lc 'rm -rf /'" };
    assert.equal(await permit(blocked), "deny");
    assert.equal(await permit({ ...blocked, person: true }), "deny");
    assert.equal(await permit({ ...TYPED, command: "rm -rf /\n" }), "deny");
    assert.deepEqual(asked, []);
  }
});

test("a human checkpoint is answered for once only, and by no setting for scheduled conversations", async () => {
  const { permit, asked } = setup({ answer: "once", deps: { approves: () => true } });
  assert.equal(await permit(COMMAND), "once");
  assert.equal(asked.length, 0);
  assert.equal(await permit({ ...COMMAND, person: true }), "once");
  assert.deepEqual(asked[0]?.options, ["once", "deny"]);
  const nobody = setup({ alone: true, scope: { yolo: true } });
  assert.equal(await nobody.permit({ ...COMMAND, person: true }), "deny");
});

test("typed text is shown as typed, never as a command, and its answer is stored nowhere", async () => {
  const { permit, asked } = setup();
  assert.equal(await permit(TYPED), "once");
  assert.equal(asked[0]?.kind, "tool");
  assert.equal(asked[0]?.command, "type into python3 -i: import os\n");
  assert.deepEqual(asked[0]?.options, ["once", "deny"]);
});

test("a policy hook sees the request under the program's name and comes before the question; a block declines", async () => {
  const seen = setup({ hook: () => undefined });
  assert.equal(await seen.permit(COMMAND), "once");
  assert.deepEqual(seen.hooked, [
    {
      tool_name: "exec_command",
      args: COMMAND.args,
      tool_call_id: "call_5",
      session_id: "s1",
      task_id: null,
      turn_id: "t1",
      api_request_id: null,
      cwd: PROJECT,
      middleware_trace: [],
    },
  ]);
  for (const scope of [{}, { yolo: true }]) {
    const blocked = setup({ hook: () => ({ block: "not today" }), scope });
    assert.equal(await blocked.permit(TOOL), "deny");
    assert.equal(await blocked.permit({ ...COMMAND, person: true }), "deny");
    assert.deepEqual(blocked.asked, []);
  }
});

test("one question at a time, in the order asked; an interrupt cancels all of them", async () => {
  const open: ((outcome: QuestionOutcome) => void)[] = [];
  const { permit, asked, turn } = setup({
    answer: (signal) =>
      new Promise((resolve) => {
        open.push(resolve);
        signal.addEventListener("abort", () => resolve({ answered: false, why: "interrupted", by: "interrupted" }), {
          once: true,
        });
      }),
  });
  const first = permit(COMMAND);
  const second = permit(WRITE);
  const third = permit(TOOL);
  while (open.length === 0) await new Promise(setImmediate);
  assert.equal(asked.length, 1);
  open[0]?.({ answered: true, answer: "once", by: "test" });
  assert.equal(await first, "once");
  while (open.length === 1) await new Promise(setImmediate);
  assert.equal(asked[1]?.kind, "write");
  turn.abort();
  assert.deepEqual(await Promise.all([second, third]), ["cancel", "cancel"]);
  assert.equal(asked.length, 2);
});

test("a question that the program withdraws is closed", async () => {
  const { permit, asked } = setup({
    answer: (signal) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => resolve({ answered: false, why: "interrupted", by: "interrupted" }), {
          once: true,
        });
      }),
  });
  const withdrawn = new AbortController();
  const answer = permit(COMMAND, withdrawn.signal);
  while (asked.length === 0) await new Promise(setImmediate);
  withdrawn.abort();
  assert.equal(await answer, "cancel");
});

test("silence and failures of ours decline", async () => {
  const silent = setup({ answer: async () => ({ answered: false, why: "timeout", by: "timeout" }) });
  assert.equal(await silent.permit(COMMAND), "deny");
  const broken = setup({ broken: true });
  assert.equal(await broken.permit(COMMAND), "deny");
  assert.equal(broken.warnings.length, 1);
});

test("what was declined stands in the result of the turn without secrets, with the rule that would allow it", async () => {
  const { permit, denied } = setup({ alone: true });
  await permit({ ...HARMLESS, command: "curl -H s3cret x" });
  assert.deepEqual(
    denied.map(({ tool, preview }) => [tool, preview]),
    [["exec_command", "curl -H [secret] x"]],
  );
  await permit(TOOL);
  assert.equal(denied[1]?.rule_to_allow, "tool:mcp.fs.write_file");
});

test("a tool of a server that was allowed may have brought instructions of others", async () => {
  const { permit, facts } = setup();
  await permit(COMMAND);
  assert.equal(facts.untrusted, false);
  await permit(TOOL);
  assert.equal(facts.untrusted, true);
});

test("a question of a program goes to the user with at most four choices; hidden ones are not shown", async () => {
  const { ask, said } = setup({ said: { how: "answered", text: "B" } });
  assert.equal(await ask({ header: "Pick", question: "Which?", options: ["A", "B", "C", "D", "E"] }), "B");
  assert.equal(await ask({ question: "The key?", options: [], hidden: true }), "hunter2");
  assert.deepEqual(said, [
    { question: "Pick: Which?\nOther answers: E", choices: ["A", "B", "C", "D"] },
    { prompt: "The key?" },
  ]);
  const silent = setup({ said: { how: "silent", instead: "" } });
  assert.equal(await silent.ask({ question: "Which?", options: [] }), undefined);
  assert.equal(await setup().ask({ question: "Which?", options: [] }), undefined);
});
