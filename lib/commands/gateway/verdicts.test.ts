import assert from "node:assert/strict";
import { test } from "node:test";
import { verdictsOf } from "./verdicts.js";

const failed = (profile: string, exit: number) => ({ profile, what: "failed", reason: "broken", exit }) as const;
const started = { profile: "default", what: "started", pid: 7 } as const;

test("gateway start --all ends with 78 when a home cannot be opened, as without --all", () => {
  assert.equal(verdictsOf([started, failed("work", 78)], true).exit, 78);
});

test("profiles that fail for different reasons make the command end with 1", () => {
  assert.equal(verdictsOf([failed("home", 69), failed("work", 78)], true).exit, 1);
});

test("a command whose profiles all started ends with 0", () => {
  assert.equal(verdictsOf([started], true).exit, 0);
});
