import { namesProblems, type Problem } from "../../../fixtures/platforms/problems.js";
import { ACCOUNT } from "../../../fixtures/servers/msgx/server.js";
import { TOKEN } from "../../../fixtures/worlds/msgx-world.js";
import { platformSettings } from "../../../lib/gateway/settings/platform-settings.js";
import { readMsgxSettings } from "./settings.js";

const PROBLEMS: readonly Problem[] = [
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

const NONE = platformSettings("gateway", { env: {}, raw: () => undefined });
const read = (env: Readonly<Record<string, string>>) => {
  const given = { MSGX_ACCOUNT_ID: ACCOUNT, MSGX_TOKEN: TOKEN, ...env };
  return readMsgxSettings(platformSettings("msgx", { env: given, raw: () => undefined }), NONE);
};

namesProblems(read, PROBLEMS, TOKEN);
