import assert from "node:assert/strict";
import { test } from "node:test";
import type { PermissionTest } from "../../../contracts/config/permissions.js";
import { renderList, renderTest } from "./render.js";

const ON = { state: "on", why: "", remedy: "" } as const;
const OFF = {
  state: "refused",
  why: "bubblewrap cannot make a cage here",
  remedy: "sysctl -w user.max_user_namespaces=15000",
} as const;
const LIST = {
  rules: [],
  mode: "manual",
  edits: "allow",
  yolo: false,
  classes: [],
  trusted: null,
  notices: [],
  user_file: "/h/permissions.yaml",
  project_file: "/p/.agent/permissions.yaml",
};

test("permissions list shows where caged commands can write, or why they are not caged", () => {
  assert.match(
    renderList({ ...LIST, cage: { ...ON, writable: ["/h/.cache"] } }),
    /\ncage: on; commands can write the project, \/tmp and \/h\/\.cache$/,
  );
  const off = renderList({ ...LIST, cage: { ...OFF, writable: [] } });
  assert.match(off, /\ncage: off, bubblewrap cannot make a cage here; sysctl -w user\.max_user_namespaces=15000$/);
});

test("permissions test shows what the cage prevents, and the decision outside", () => {
  const found: PermissionTest = {
    command: "cp a /etc/b",
    decision: "allowed",
    by: "caged",
    segments: [],
    findings: [],
    read_only: false,
    cage: {
      ...ON,
      runs: "inside",
      prevents: [
        { path: "/etc/b", how: "read-only" },
        { path: "/h/.ssh", how: "hidden" },
      ],
      outside: "ask",
    },
  };
  const text = renderTest(found);
  assert.match(
    text,
    /cage: runs inside\n {2}read-only there: \/etc\/b\n {2}hidden there: \/h\/\.ssh\n {2}decision with outside: true: ask$/,
  );
});
