import assert from "node:assert/strict";
import { test } from "node:test";
import { supervisorOf } from "./supervisor-env.js";

const CASES = [
  ["nobody", {}, 100, undefined],
  ["AGENT_SUPERVISED=1", { AGENT_SUPERVISED: "1" }, 100, "other"],
  ["systemd", { INVOCATION_ID: "abc" }, 100, "systemd"],
  ["systemd, which also says so", { INVOCATION_ID: "abc", AGENT_SUPERVISED: "1" }, 100, "systemd"],
  ["the product's own launchd job", { XPC_SERVICE_NAME: "ai.agent.gateway-work" }, 100, "other"],
  ["another launchd job", { XPC_SERVICE_NAME: "com.example" }, 100, undefined],
  ["a container whose first process it is", {}, 1, "other"],
  ["AGENT_SUPERVISED=0, whatever is detected", { AGENT_SUPERVISED: "0", INVOCATION_ID: "abc" }, 1, undefined],
] as const;
for (const [what, env, pid, wanted] of CASES) {
  test(`who starts the gateway again: ${what}`, () => {
    assert.equal(
      supervisorOf(env, pid, () => true),
      wanted,
    );
  });
}
