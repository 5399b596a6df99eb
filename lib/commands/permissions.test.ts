import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { slashWorld } from "../../fixtures/sim/slash-world.js";
import { ruleFileErrors } from "../safety/rules/rules.js";

test("C75: permissions test shows the parts of the line, the class of each, and the decision", async (t) => {
  const { run } = slashWorld(t);
  const { out, code } = await run("permissions", "test", "git log && rm -rf build");
  assert.equal(code, 0);
  assert.match(out, /^ +1 {2}git log +-\n +2 {2}rm -rf build +rm-recursive\ndecision: ask /);
  assert.match(out, /allow it with: agent permissions allow 'rm -rf build'\n$/);
  const told = JSON.parse((await run("permissions", "test", "git log && rm -rf build", "--json")).out) as Record<
    string,
    unknown
  >;
  assert.deepEqual(
    [told["decision"], told["segments"]],
    [
      "ask",
      [
        { argv: "git log", classes: [] },
        { argv: "rm -rf build", classes: ["rm-recursive"] },
      ],
    ],
  );
});

const TESTED: readonly (readonly [string, string, string])[] = [
  ["rm -rf /", "blocked", "BLOCKED (hardline)"],
  ["ls", "allowed", "no risk"],
  ["git push", "denied", "Denied by the rule 'git push' (user: /"],
  ["npm publish", "allowed", "rule: npm publish (user)"],
  ["echo 'a", "ask", "unparsable"],
];
for (const [command, decision, told] of TESTED) {
  test(`permissions test says that ${command} is ${decision}, and why`, async (t) => {
    const { run, dir } = slashWorld(t);
    writeFileSync(join(dir, "permissions.yaml"), "allow: [npm publish]\ndeny: [git push]\n");
    const { out } = await run("permissions", "test", command);
    assert.ok(out.includes(`decision: ${decision} (`) && out.includes(told), out);
  });
}

test("a rule is added, listed with its source, and removed by its number", async (t) => {
  const { run, dir } = slashWorld(t);
  const file = join(dir, "permissions.yaml");
  assert.equal((await run("permissions", "allow", "rm -rf q")).out, `allow: rm -rf q (${file})\n`);
  assert.equal((await run("permissions", "deny", "write:**/*.lock")).code, 0);
  assert.equal(readFileSync(file, "utf8"), "version: 1\nallow:\n  - rm -rf q\ndeny:\n  - write:**/*.lock\n");
  const { out } = await run("permissions");
  assert.match(out, /^mode manual, edits allow\n {2}1 {2}allow {2}rm -rf q +everywhere, not used yet\n {2}2 {2}deny /);
  assert.equal((await run("permissions", "revoke", "1")).out, "removed allow: rm -rf q\n");
  assert.equal((await run("permissions", "revoke", "7")).code, 1);
  assert.equal(readFileSync(file, "utf8"), "version: 1\nallow: []\ndeny:\n  - write:**/*.lock\n");
});

for (const rule of ["git commit -m 'a: b'", "*", "file:", "true"]) {
  test(`the rule ${rule}, which its file has to quote, is added, not told as a defect`, async (t) => {
    const { run } = slashWorld(t);
    assert.match((await run("permissions", "allow", rule)).out, /^allow: /);
    assert.equal(JSON.parse((await run("permissions", "list", "--json")).out).rules.length, 1);
  });
}

for (const rule of ['{paths: ["/x/**"]}', "{comand: cat}", "[cat]", "read: /x/**"]) {
  test(`a rule that would match nothing is refused and not stored: ${rule}`, async (t) => {
    const { run, dir } = slashWorld(t);
    for (const list of ["deny", "ask", "allow"]) {
      const { code, err } = await run("permissions", "add", list, rule);
      assert.equal(code, 2, err);
      assert.match(err, new RegExp(`invalid ${list} rule: .*(paths|comand|list|read:)`));
    }
    assert.equal((await run("permissions", "deny", rule)).code, 2);
    assert.equal(existsSync(join(dir, "permissions.yaml")), false);
  });
}

test("a rule file whose rule matches nothing is reported with its line, by permissions list too", async (t) => {
  const { run, dir } = slashWorld(t);
  writeFileSync(join(dir, "permissions.yaml"), 'deny:\n  - cat\n  - "{paths: [/x]}"\n  - {comand: ls}\n');
  const checked = await ruleFileErrors(join(dir, "permissions.yaml"));
  assert.match(checked.join("\n"), /permissions\.yaml:3: \{paths: \[\/x\]\} is not a rule/);
  assert.match(checked.join("\n"), /permissions\.yaml:4: unknown field comand/);
  assert.match((await run("permissions", "list")).out, /permissions\.yaml:4: unknown field comand/);
});

test("rules about hosts and the desktop are stored and listed like others; one about no action is refused", async (t) => {
  const { run } = slashWorld(t);
  for (const rule of ["fetch:*.internal.example", "desktop:click@xterm"]) {
    assert.ok((await run("permissions", "deny", rule)).out.startsWith(`deny: ${rule} (`));
    assert.match((await run("permissions", "list")).out, /not used yet/);
  }
  assert.match((await run("permissions", "deny", "desktop:clik")).err, /unknown action clik/);
});

test("what is no rule is refused, and a broken file is not touched", async (t) => {
  const { run, dir } = slashWorld(t);
  const file = join(dir, "permissions.yaml");
  assert.match((await run("permissions", "allow", " ")).err, /empty rule/);
  writeFileSync(file, "allow: {\n");
  assert.match((await run("permissions", "allow", "ls")).err, /permissions\.yaml:\d: ?\S*|cannot be read/);
  assert.equal(readFileSync(file, "utf8"), "allow: {\n");
});

test("the rules of a project are trusted as they are, and a change ends the trust", async (t) => {
  const { run, dir } = slashWorld(t);
  mkdirSync(join(dir, ".agent"));
  const file = join(dir, ".agent", "permissions.yaml");
  writeFileSync(file, "allow: [npm publish]\n");
  assert.match((await run("permissions")).out, /is not trusted[\s\S]*npm publish {2}this project, ignored/);
  assert.match((await run("permissions", "allow", "make", "--project")).err, /has untrusted rules/);
  assert.equal((await run("permissions", "trust")).out, "trusted:\n  npm publish\n");
  assert.match((await run("permissions", "test", "npm publish")).out, /decision: allowed/);
  writeFileSync(file, "allow: [npm publish, rm]\n");
  assert.match((await run("permissions", "test", "npm publish")).out, /decision: ask/);
  assert.equal((await run("permissions", "untrust")).out, "no longer trusted\n");
});

test("grants and switches of a conversation are its own", async (t) => {
  const { slash, create } = slashWorld(t);
  const one = await create();
  const other = await create();
  assert.equal((await slash("/permissions allow --session 'npm publish'", one.id)).exit, 0);
  assert.match((await slash("/permissions", one.id)).text, /npm publish +this conversation, not used yet/);
  assert.doesNotMatch((await slash("/perms", other.id)).text, /npm publish/);
  assert.equal((await slash("/permissions mode smart", one.id)).text, "mode smart in this conversation");
  assert.equal((await slash("/permissions edits ask", one.id)).text, "edits ask in this conversation");
  assert.match((await slash("/permissions", other.id)).text, /^mode manual, edits allow/);
  assert.match((await slash("/permissions revoke 1", one.id)).text, /^removed allow: npm publish/);
});

test("/yolo is typed in full, holds for its conversation, and is shown until it is turned off", async (t) => {
  const { slash, create } = slashWorld(t);
  const { id } = await create();
  assert.match((await slash("/yol", id)).text, /Type \/yolo in full/);
  assert.match((await slash("/yolo", id)).text, /Approvals are off for this conversation/);
  assert.match((await slash("/permissions", id)).text, /APPROVALS ARE OFF/);
  assert.match((await slash("/yolo off", id)).text, /Approvals are on again/);
  assert.doesNotMatch((await slash("/permissions", id)).text, /APPROVALS ARE OFF/);
});

test("/approve and /deny say when nothing is asked", async (t) => {
  const { slash, create } = slashWorld(t);
  const { id } = await create();
  for (const line of ["/approve", "/deny no", "/approve session"])
    assert.match((await slash(line, id)).text, /no pending approval/);
});

const MEMBER = { platform: "telegram", chat_id: "1" };
for (const line of ["/permissions allow ls", "/permissions test ls", "/permissions mode off", "/permissions trust"]) {
  test(`${line} is not there on a messaging platform`, async (t) => {
    const { slashFrom } = messaging(slashWorld(t));
    assert.match(await slashFrom(line), /not available in a chat/);
  });
}

function messaging(world: ReturnType<typeof slashWorld>) {
  return { slashFrom: async (text: string) => (await world.slash(text, undefined, MEMBER)).text };
}
