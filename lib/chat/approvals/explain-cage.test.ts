import assert from "node:assert/strict";
import { test } from "node:test";
import { layOutHome } from "../../base/home.js";
import type { ApprovalScope } from "../../safety/approve/approve.js";
import type { CagePlan, CageStatus } from "../../safety/cage/types.js";
import { explainCage } from "./explain-cage.js";

const PROJECT = "/work/nowhere/project";
const USER = "/work/nowhere";

const scope: ApprovalScope = {
  paths: { home: layOutHome(`${USER}/.agent`), userHome: USER, project: PROJECT, env: {} },
  rules: { rules: [], untrusted: [], errors: [], notices: [] },
  yolo: false,
  mode: "manual",
  edits: "allow",
  allowlist: [],
  cage: { eases: true, writable: [`${USER}/.cache`] },
};

const plan: CagePlan = {
  project: PROJECT,
  writable: [PROJECT, `${PROJECT}/.git`, `${USER}/.cache`],
  readOnly: [`${PROJECT}/.git/config`, `${PROJECT}/.agent`],
  masked: [],
  secret: [],
  made: [],
  hidden: [`${USER}/.ssh`, `${USER}/.agent`],
  shown: [`${USER}/.agent/cache/results/s_1`],
  tmp: "/work/nowhere/.agent/cache/tmp/s_1",
  network: "host",
};

const ON: CageStatus = { on: true, program: "/usr/bin/bwrap" };
const explain = (command: string, status: CageStatus = ON) => explainCage(command, PROJECT, scope, { status, plan });

const TABLE: readonly (readonly [command: string, prevents: string])[] = [
  ["make", ""],
  ["echo x > out.txt", ""],
  ["cp a /tmp/b", ""],
  ["echo x > ~/.cache/y", ""],
  ["echo x > /etc/motd", "/etc/motd read-only"],
  ["cp a ../b", "/work/nowhere/b read-only"],
  ["echo x >> .git/config", "/work/nowhere/project/.git/config read-only"],
  ["touch .git/index .agent/permissions.yaml", "/work/nowhere/project/.agent/permissions.yaml read-only"],
  ["cat ~/.ssh/id_rsa", "/work/nowhere/.ssh/id_rsa hidden"],
  ["cat ~/.agent/cache/results/s_1/a", ""],
  ["echo x > /dev/null", ""],
];
for (const [command, prevents] of TABLE) {
  test(`permissions test says what the cage prevents: ${command}`, () => {
    const found = explain(command);
    assert.equal(found.prevents.map(({ path, how }) => `${path} ${how}`).join("; "), prevents);
    assert.equal(found.runs, "inside");
  });
}

test("without a cage it says why, and that the command runs outside", () => {
  const status: CageStatus = {
    on: false,
    kind: "missing",
    why: "bubblewrap (bwrap) is not installed",
    remedy: "apt-get install bubblewrap",
  };
  assert.deepEqual(explain("echo x > /etc/motd", status), {
    state: "missing",
    why: status.why,
    remedy: status.remedy,
    runs: "outside",
    prevents: [],
  });
});
