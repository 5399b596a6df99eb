import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { layOutHome } from "../../base/home.js";
import type { PermissionTest } from "../../contracts/config/permissions.js";
import type { AuxAnswer, AuxClient } from "../../contracts/models/auxiliary.js";
import type { ApprovalScope } from "../../safety/approve/approve.js";
import { ruleFiles } from "../../safety/rules/rules.js";
import type { Asker } from "../questions/asker.js";
import { createPermit, type PermitDeps } from "./permit.js";
import { newTurnFacts } from "./turn-facts.js";

const noForms = async () => ({ action: "cancel", content: {} }) as const;

const home = layOutHome("/srv/user/.agent");
const PATHS = { home, userHome: "/srv/user", project: "/srv/user/p", env: {}, temporary: [] };
const SCOPE: ApprovalScope = {
  paths: PATHS,
  yolo: false,
  mode: "smart",
  edits: "allow",
  allowlist: [],
  rules: { rules: [], notices: [], errors: [], untrusted: [] },
};
const ASK = { kind: "command", tool: "terminal", command: "rm -rf q", cwd: "/srv/user/p" } as const;

/** Permissions whose model says APPROVE, and whose user says `user`. */
function setup(user: "once" | "deny", more: Partial<PermitDeps> = {}) {
  const asked: string[] = [];
  const asker: Asker = {
    ask: async ({ data }) => {
      asked.push("command" in data ? data.command : "");
      return { answered: true, answer: user, by: "test" };
    },
    reached: () => true,
    park: noForms,
    waited: () => 0,
  };
  const deps: PermitDeps = {
    clock: manualClock(),
    asker,
    redact: (text: string) => text,
    timeoutMs: () => 300_000,
    scope: async () => ({ scope: SCOPE, files: ruleFiles(home.dir, "/srv/user/p") }),
    aux: { state: async () => "usable", ask: async () => ({ ok: true, text: "APPROVE" }) },
    grant: async () => undefined,
    grantEdits: async () => undefined,
    used: () => undefined,
    ...more,
  };
  const permit = createPermit(deps);
  const facts = newTurnFacts();
  const call = { cwd: "/srv/user/p", callId: "c", signal: new AbortController().signal, facts };
  return { permit: (command: string = ASK.command) => permit({ ...ASK, command }, call), facts, asked, deps, call };
}

function scoped(scope: ApprovalScope): PermitDeps["scope"] {
  return async () => ({ scope, files: ruleFiles(home.dir, "/srv/user/p") });
}

function answering(answer: AuxAnswer): AuxClient {
  return { state: async () => "usable", ask: async () => answer };
}

test("a command is judged in the directory that it will run in, not in that of the conversation", async () => {
  const { permit } = setup("deny");
  const call = { cwd: "/srv/user/p", callId: "c", signal: new AbortController().signal };
  const decide = createPermit({
    clock: manualClock(),
    redact: (text: string) => text,
    timeoutMs: () => 1,
    scope: async () => ({ scope: SCOPE, files: ruleFiles(home.dir, "/srv/user/p") }),
    grant: async () => undefined,
    grantEdits: async () => undefined,
    used: () => undefined,
  });
  assert.ok((await permit("echo x > note")).allowed);
  const elsewhere = await decide({ ...ASK, command: "echo x > note", cwd: "/srv/elsewhere" }, call);
  assert.match(elsewhere.allowed ? "" : elsewhere.message, /writes outside the project/);
});

test("a model may approve what is harmless enough", async () => {
  const { permit, asked } = setup("deny");
  assert.deepEqual([await permit(), asked], [{ allowed: true, by: "approval model" }, []]);
});

const UNANSWERED: readonly (readonly [string, Partial<PermitDeps>, RegExp])[] = [
  [
    "a person is needed",
    { scope: scoped({ ...SCOPE, mode: "manual" }) },
    /needs a person's permission, and no one can be asked here/,
  ],
  ["the model is not sure", { aux: answering({ ok: true, text: "ESCALATE" }) }, /the approval model was unsure/],
  [
    "the model cannot be asked",
    { aux: answering({ ok: false, why: "none" }) },
    /the approval model could not be reached/,
  ],
  [
    "the model refuses",
    { aux: answering({ ok: true, text: "DENY\nit loses work" }) },
    /Denied by the approval model: it loses work/,
  ],
];
for (const [name, more, told] of UNANSWERED)
  test(`where no one can be asked, a denial says that ${name}, and which command allows the call`, async () => {
    const { deps, call } = setup("deny", more);
    const { asker: _nobody, ...alone } = deps;
    const answer = await createPermit(alone)(ASK, call);
    assert.ok(!answer.allowed);
    assert.match(answer.message, told);
    assert.match(answer.message, /\nagent permissions allow 'rm -rf q'\n/);
  });

test("what a person allows of that which a cage prevents runs outside, what a model allows stays inside", async () => {
  const caged: ApprovalScope = { ...SCOPE, cage: { eases: true, writable: [] } };
  const { permit, facts } = setup("once", { scope: scoped(caged) });
  assert.deepEqual(await permit("npm publish"), { allowed: true, by: "approval model" });
  facts.untrusted = true;
  assert.deepEqual(await permit("npm publish"), { allowed: true, by: "user: once", outside: true });
  assert.deepEqual(await permit("git push --force"), { allowed: true, by: "user: once" });
  assert.deepEqual(await permit("rm -rf q"), { allowed: true, by: "cage" });
});

test("what a model allows may start the clients that its line names", async () => {
  const { permit } = setup("deny", { scope: scoped({ ...SCOPE, cage: { eases: true, writable: [] } }) });
  assert.deepEqual(await permit("docker build ."), { allowed: true, by: "approval model", clients: ["docker"] });
});

test("no setting for scheduled conversations lets a call leave the cage", async () => {
  const caged: ApprovalScope = { ...SCOPE, mode: "manual", cage: { eases: true, writable: [] } };
  const { deps, call } = setup("deny", { scope: scoped(caged), approves: () => true });
  const permit = createPermit(deps);
  assert.deepEqual(await permit({ ...ASK, command: "npm publish" }, call), {
    allowed: true,
    by: "approvals.cron_mode",
  });
  assert.equal((await permit({ ...ASK, command: "npm publish", outside: "keys" }, call)).allowed, false);
});

test("once an earlier turn of the conversation wrote a script, running it is asked about, and so is one that may load it", async () => {
  const { deps, call, asked } = setup("deny", { scope: scoped({ ...SCOPE, mode: "manual" }) });
  const permit = createPermit(deps);
  const paths = ["/srv/user/p/s.sh"];
  assert.equal((await permit({ ...ASK, command: "sh other.sh" }, call)).allowed, true);
  await permit({ kind: "write", tool: "write_file", command: "write s.sh", cwd: "/srv/user/p", paths }, call);
  const later = { ...call, facts: newTurnFacts() };
  for (const command of ["sh s.sh", "sh other.sh"])
    assert.equal((await permit({ ...ASK, command }, later)).allowed, false);
  assert.deepEqual(asked, ["sh s.sh", "sh other.sh"]);
});

test("in a turn that has read texts of others no model approves anything: the user is asked", async () => {
  const { permit, facts, asked } = setup("deny");
  facts.untrusted = true;
  const answer = await permit();
  assert.deepEqual([answer.allowed, asked], [false, ["rm -rf q"]]);
});

test("an answer is compared with the rules as they are when it is given", async () => {
  let scope = SCOPE;
  const rule = { kind: "command", text: "rm", program: "rm", words: [], flags: undefined, paths: undefined } as const;
  const files = ruleFiles(home.dir, "/srv/user/p");
  const { permit, facts } = setup("once", {
    scope: async () => {
      const found = { scope, files };
      scope = {
        ...SCOPE,
        rules: {
          ...SCOPE.rules,
          rules: [{ list: "deny", source: "user", rule: { ...rule, inline: false, exact: false, whole: false } }],
        },
      };
      return found;
    },
  });
  facts.untrusted = true;
  const answer = await permit();
  assert.ok(!answer.allowed);
  assert.match(answer.message, /Denied by the rule 'rm'/);
});

test("why the rules ask is told of the command that waits, not of what is shown of it", async () => {
  const told: PermissionTest[] = [];
  const { permit, facts } = setup("deny", {
    redact: (text) => text.replaceAll("hunter2", "«secret:password:1»"),
    asker: {
      ask: async (_question, { explain }) => {
        if (explain) told.push(await explain());
        return { answered: false, why: "timeout", by: "timeout" };
      },
      reached: () => true,
      park: noForms,
      waited: () => 0,
    },
  });
  facts.untrusted = true;
  await permit("echo \x1b[2K hunter2\nrm -rf a\u202eb");
  const [{ command, segments, findings } = assert.fail()] = told;
  assert.equal(command, "echo ⟪U+001B⟫[2K «secret:password:1»\nrm -rf a⟪U+202E⟫b");
  assert.deepEqual(
    segments.map(({ argv }) => argv),
    ["echo ⟪U+001B⟫[2K «secret:password:1»", "rm -rf a⟪U+202E⟫b"],
  );
  assert.deepEqual(
    findings.map((one) => one.class),
    ["disguised"],
  );
});

test("a rule that would hold a secret is offered to no one", async () => {
  const offered: unknown[] = [];
  const { permit, facts } = setup("deny", {
    redact: (text) => text.replaceAll("hunter2", "«secret:password:1»"),
    asker: {
      ask: async ({ data }) => {
        if ("options" in data) offered.push(data.options, data.rules, data.command);
        return { answered: false, why: "timeout", by: "timeout" };
      },
      reached: () => true,
      park: noForms,
      waited: () => 0,
    },
  });
  facts.untrusted = true;
  const answer = await permit("psql postgres://me:hunter2@db -c 'drop table x'");
  assert.deepEqual(offered, [["once", "deny"], {}, "psql postgres://me:«secret:password:1»@db -c 'drop table x'"]);
  assert.ok(!answer.allowed && /Silence is not consent/.test(answer.message));
});
