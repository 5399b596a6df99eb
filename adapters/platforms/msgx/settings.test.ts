import assert from "node:assert/strict";
import { test } from "node:test";
import { TOKEN } from "../../../fixtures/msgx-world.js";
import { ACCOUNT } from "../../../fixtures/servers/msgx/server.js";
import { platformSettings } from "../../../lib/gateway/settings.js";
import { readMsgxSettings } from "./settings.js";

const PROBLEMS: readonly (readonly [env: Record<string, string>, names: string])[] = [
  [{ MSGX_TOKEN: " " }, "MSGX_TOKEN"],
  [{ MSGX_TOKEN: "a b" }, "MSGX_TOKEN"],
  [{ MSGX_ACCOUNT_ID: " " }, "MSGX_ACCOUNT_ID"],
  [{ MSGX_DM_POLICY: "maybe" }, "MSGX_DM_POLICY"],
  [{ MSGX_GROUP_POLICY: "pairing" }, "MSGX_GROUP_POLICY"],
  [{ MSGX_BASE_URL: "http://example.org" }, "not encrypted"],
  [{ MSGX_CDN_BASE_URL: "c2c" }, "MSGX_CDN_BASE_URL"],
  [{ MSGX_SEND_CHUNK_DELAY_SECONDS: "long" }, "MSGX_SEND_CHUNK_DELAY_SECONDS"],
  [{ MSGX_SEND_CHUNK_RETRIES: "-1" }, "MSGX_SEND_CHUNK_RETRIES"],
  [{ MSGX_SPLIT_MULTILINE_MESSAGES: "perhaps" }, "MSGX_SPLIT_MULTILINE_MESSAGES"],
];

for (const [env, names] of PROBLEMS) {
  test(`${JSON.stringify(env)} is a problem that names ${names}`, () => {
    const none = platformSettings("gateway", { env: {}, raw: () => undefined });
    const given = { MSGX_ACCOUNT_ID: ACCOUNT, MSGX_TOKEN: TOKEN, ...env };
    const found = readMsgxSettings(platformSettings("msgx", { env: given, raw: () => undefined }), none);
    assert.ok("problem" in found && found.problem.includes(names), JSON.stringify(found));
  });
}
