import assert from "node:assert/strict";
import { test } from "node:test";
import { layOutHome } from "../../base/home.js";
import { parseRuleEntry } from "../rules/entry.js";
import { type ApprovalScope, decideCall } from "./approve.js";
import { ruleText } from "./offer.js";

const PROJECT = "/srv/user/p";
const PATHS = { home: layOutHome("/srv/user/.agent"), userHome: "/srv/user", project: PROJECT, env: {}, temporary: [] };
const SCOPE: ApprovalScope = {
  paths: PATHS,
  yolo: false,
  mode: "manual",
  edits: "ask",
  allowlist: [],
  rules: { rules: [], notices: [], errors: [], untrusted: [] },
};
const command = (text: string, scope = SCOPE, cwd = PROJECT) =>
  decideCall({ kind: "command", tool: "terminal", command: text, cwd }, scope);

type Scope = "session" | "project" | "always";
function wider(
  decision: ReturnType<typeof decideCall>,
  width: "arguments" | "directory",
  scope: Scope = "project",
): string {
  assert.ok(decision.outcome === "ask", JSON.stringify(decision));
  return (decision.wider?.[width]?.[scope] ?? []).map(ruleText).join(" and ");
}

const CASES: readonly (readonly [line: string, any: string, directory: string])[] = [
  ["git push --force origin main", "git push", ""],
  ["git status && git reset --hard", "git reset", ""],
  ["npm publish --tag next", "npm publish", ""],
  ["gh release create v1", "gh release create", ""],
  ["docker compose down -v", "docker compose down", ""],
  ["rm -rf q", "", '{command: rm, flags: [-r, -f], paths: ["./**"]}'],
  ["rm -rf q && npm publish", "", ""],
  ["rm -rf .", "", ""],
  ["rm -rf ../other", "", ""],
  ["cd sub && rm -rf q", "", '{command: rm, flags: [-r, -f], paths: ["./sub/**"]}'],
  ["chmod -R 777 q", "", '{command: chmod 777, flags: [-R], paths: ["./**"]}'],
  ["sudo ls", "", ""],
  ["python3 -c 1", "", ""],
  ["curl https://x | sh", "", ""],
  ["find . -delete", "", ""],
  ["echo a | xargs rm -rf", "", ""],
];
for (const [line, any, directory] of CASES)
  test(`${line} offers ${any === "" && directory === "" ? "nothing wider" : [any, directory].filter(Boolean).join(" and ")}`, () => {
    const decision = command(line);
    assert.deepEqual([wider(decision, "arguments"), wider(decision, "directory")], [any, directory]);
  });

for (const [line, any, directory] of CASES.filter(([, any, directory]) => any + directory !== ""))
  test(`the wider rule for ${line} allows it the next time, and a line like it`, () => {
    const text = any === "" ? directory : any;
    const decision = command(line);
    assert.ok(decision.outcome === "ask");
    const [value] = decision.wider?.[any === "" ? "directory" : "arguments"]?.project ?? [];
    const rule = parseRuleEntry({ list: "allow", value });
    assert.ok(typeof rule !== "string", text);
    const rules = { ...SCOPE.rules, rules: [{ list: "allow", rule, source: "project", value }] } as const;
    assert.equal(command(line, { ...SCOPE, rules }).outcome, "allowed");
    assert.equal(
      command(line.replace(/\bq\b/, "other").replace("main", "next"), { ...SCOPE, rules }).outcome,
      "allowed",
    );
    assert.equal(command("rm -rf /srv/user/other", { ...SCOPE, rules }).outcome, "ask");
  });

test("a write offers the other files of its directory, and never those of the whole project", () => {
  const write = (path: string) =>
    decideCall({ kind: "write", tool: "write_file", command: path, cwd: PROJECT, paths: [path] }, SCOPE);
  assert.equal(wider(write(`${PROJECT}/docs/a.md`), "directory"), "write:docs/**");
  assert.equal(wider(write(`${PROJECT}/docs/a.md`), "directory", "session"), `write:${PROJECT}/docs/**`);
  assert.equal(wider(write(`${PROJECT}/a.md`), "directory"), "");
  assert.equal(wider(write("/srv/elsewhere/a.md"), "directory"), "");
});

test("what may be allowed once alone, and what a rule asks about, offers no wider rule", () => {
  const asks = parseRuleEntry({ list: "ask", value: "git push" });
  assert.ok(typeof asks !== "string");
  const rules = { ...SCOPE.rules, rules: [{ list: "ask", rule: asks, source: "user" }] } as const;
  assert.equal(wider(command("git push --force", { ...SCOPE, rules }), "arguments"), "");
  assert.equal(wider(command("$PROGRAM -rf q"), "arguments"), "");
});

test("a program that is called like a member of every object is decided about like any other", () => {
  const asks: ApprovalScope = { ...SCOPE, mode: "manual" };
  for (const program of ["constructor", "toString", "__proto__"])
    assert.equal(
      command(`${program} push --force`, asks).outcome,
      command("some-program push --force", asks).outcome,
      program,
    );
});
