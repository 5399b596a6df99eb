import assert from "node:assert/strict";
import { test } from "node:test";
import { namesProblems, type Problem } from "../../../fixtures/platforms/problems.js";
import { proves } from "../../../fixtures/requirements.js";
import { platformSettings } from "../../../lib/gateway/settings/platform-settings.js";
import { readMsggSettings } from "./settings.js";

const RIGHT = { MSGG_PROJECT_ID: "p", MSGG_SUBSCRIPTION_NAME: "projects/p/subscriptions/s" };

function read(env: Record<string, string>, block: Record<string, unknown> = {}) {
  const raw = (path: string) => block[path];
  return readMsggSettings({
    settings: platformSettings("msgg", { env, raw }),
    others: (prefix) => platformSettings(prefix, { env, raw }),
  });
}

const PROBLEMS: readonly Problem[] = [
  [{ MSGG_SUBSCRIPTION_NAME: "s" }, "MSGG_SUBSCRIPTION_NAME"],
  [{ MSGG_PROJECT_ID: "" }, "MSGG_PROJECT_ID"],
  [{ MSGG_PROJECT_ID: "other" }, "the project p, but MSGG_PROJECT_ID is other"],
  [{ MSGG_API_BASE: "http://example.org" }, "MSGG_API_BASE is not encrypted"],
  [{ MSGG_API_BASE: "ftp://127.0.0.1" }, "MSGG_API_BASE"],
  [{ MSGG_OAUTH_BASE: "https://u:p@example.org" }, "MSGG_OAUTH_BASE"],
  [{ MSGG_MAX_MESSAGES: "0" }, "MSGG_MAX_MESSAGES"],
  [{ MSGG_MAX_MESSAGES: "many" }, "MSGG_MAX_MESSAGES"],
  [{ PUBSUB_EMULATOR_HOST: "http://127.0.0.1:1" }, "PUBSUB_EMULATOR_HOST"],
];

namesProblems((env) => read({ ...RIGHT, ...env }), PROBLEMS);

test("the variables of the platform's own tools are used where ours are not set", (t) => {
  proves(t, "msgg.settings");
  const { MSGG_SUBSCRIPTION_NAME } = RIGHT;
  const env = { MSGG_SUBSCRIPTION_NAME, GOOGLE_CLOUD_PROJECT: "p", GOOGLE_APPLICATION_CREDENTIALS: "/k.json" };
  const found = read(env);
  assert.ok("settings" in found);
  const { project, credentials, maxMessages, maxBytes, apiBase, open } = found.settings;
  assert.deepEqual([project, credentials, maxMessages, maxBytes], ["p", "/k.json", 1, 16_777_216]);
  assert.deepEqual([apiBase, open], ["https://chat.googleapis.com", false]);
});

test("an address elsewhere without encryption is taken when the gateway's settings allow it", () => {
  const found = read({ ...RIGHT, MSGG_API_BASE: "http://example.org/" }, { "gateway.allow_insecure_api_base": true });
  assert.ok("settings" in found && found.settings.apiBase === "http://example.org");
});
