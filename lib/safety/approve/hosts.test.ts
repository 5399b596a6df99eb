import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { layOutHome } from "../../base/home.js";
import { parseRuleEntry } from "../rules/entry.js";
import { type ListName, loadRules, ruleFiles, type SourcedRule } from "../rules/rules.js";
import { decideCall } from "./approve.js";

/** What is decided about a call that reads from these hosts. */
async function deciding(t: TestContext, lists: Partial<Record<ListName, string>>, grants: readonly string[] = []) {
  const dir = mkdtempSync(join(tmpdir(), "hosts-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const loaded = await loadRules(ruleFiles(dir, dir));
  const sourced = (list: ListName, text: string): SourcedRule => {
    const rule = parseRuleEntry({ list, value: text });
    assert.ok(typeof rule !== "string", String(rule));
    return { list, rule, source: "user", value: text };
  };
  const rules = Object.entries(lists).map(([list, text]) => sourced(list as ListName, text)); // the keys are names of lists
  const paths = { home: layOutHome(dir), userHome: dir, project: dir, env: {} };
  const scope = {
    paths,
    rules: { ...loaded, rules },
    yolo: false,
    mode: "manual",
    edits: "allow",
    allowlist: [],
    grants: grants.map((text) => sourced("allow", text)),
  };
  return (...hosts: readonly string[]) =>
    decideCall({ kind: "tool", tool: "web_extract", command: "web_extract x", cwd: dir, hosts }, scope);
}

test("fetch: in deny refuses the host, and in ask asks and stores a rule for the hosts of the call", async (t) => {
  const decide = await deciding(t, { deny: "fetch:*.internal.example", ask: "fetch:{asked,also}.example" });
  assert.equal(decide("wiki.internal.example").outcome, "denied");
  assert.equal(decide("fine.example").outcome, "allowed");
  const asked = decide("asked.example", "also.example");
  assert.ok(asked.outcome === "ask");
  assert.deepEqual(asked.options, ["once", "session", "deny"]);
  assert.deepEqual(asked.offered.session, ["fetch:asked.example", "fetch:also.example"]);
  assert.match(asked.reasons[0]?.text ?? "", /fetch:\{asked,also\}\.example/);
});

test("what someone has allowed for the conversation is not asked about again, and does not open what is denied", async (t) => {
  const lists = { deny: "fetch:*.internal.example", ask: "fetch:*.example" };
  const decide = await deciding(t, lists, ["fetch:asked.example", "fetch:wiki.internal.example"]);
  assert.equal(decide("asked.example").outcome, "allowed");
  assert.equal(decide("other.example").outcome, "ask");
  assert.equal(decide("wiki.internal.example").outcome, "denied");
});

test("one answer counts for the hosts that it was about, not for others of the same call", async (t) => {
  const decide = await deciding(t, { ask: "fetch:*.example" }, ["fetch:asked.example"]);
  assert.equal(decide("asked.example", "other.example").outcome, "ask");
});
