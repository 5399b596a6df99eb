import assert from "node:assert/strict";
import { test } from "node:test";
import { namesProblems, type Problem } from "../../../fixtures/platforms/problems.js";
import { platformSettings } from "../../../lib/gateway/settings/platform-settings.js";
import { readMsgfSettings } from "./settings.js";

const SECRET = "secret-of-the-app";

const read = (env: Readonly<Record<string, string>>) =>
  readMsgfSettings(
    platformSettings("msgf", { env: { MSGF_APP_ID: "cli_1", MSGF_APP_SECRET: SECRET, ...env }, raw: () => undefined }),
    () => false,
  );

const PROBLEMS: readonly Problem[] = [
  [{ MSGF_APP_ID: " " }, "MSGF_APP_ID"],
  [{ MSGF_APP_SECRET: "" }, "MSGF_APP_SECRET"],
  [{ MSGF_CONNECTION_MODE: "pigeon" }, "MSGF_CONNECTION_MODE"],
  [{ MSGF_CONNECTION_MODE: "webhook" }, "MSGF_VERIFICATION_TOKEN"],
  [{ MSGF_DOMAIN: "nowhere" }, "MSGF_DOMAIN must be feishu, lark or an http address"],
  [{ MSGF_DOMAIN: "http://example.org" }, "MSGF_DOMAIN is not encrypted"],
];

namesProblems(read, PROBLEMS, SECRET);

test("an address of the platform is taken however its scheme is written", () => {
  const found = read({ MSGF_DOMAIN: "HTTPS://open.example.org/" });
  assert.ok("settings" in found, JSON.stringify(found));
  assert.equal(found.settings.apiBase, "HTTPS://open.example.org");
});
