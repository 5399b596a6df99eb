import { definePlatform } from "../../../lib/gateway/adapter/define-platform.js";
import { addressesOf } from "../common/addresses.js";
import { logIn } from "./login.js";
import { createMsgx } from "./platform.js";
import { readMsgxSettings } from "./settings.js";

export default definePlatform({
  tag: "msgx",
  summary: "A bot identity of a mobile messenger, by long polls; log in with a QR code.",
  credentials: ["ACCOUNT_ID", "TOKEN"],
  claims: ["TOKEN"],
  setup: [
    { variable: "ACCOUNT_ID", ask: "Id of the bot account", hint: "agent gateway login msgx stores it by itself" },
    { variable: "TOKEN", ask: "Token of the bot account", secret: true, hint: "so does this: one login stores both" },
    { variable: "ALLOWED_USERS", ask: "Ids of those who may talk, with commas", optional: true },
  ],
  addresses: ({ settings, others }) =>
    addressesOf(readMsgxSettings(settings, others("gateway")), (read) => ({
      MSGX_BASE_URL: read.base,
      MSGX_CDN_BASE_URL: read.cdnBase,
    })),
  afterwards: [
    "Whether the token is good shows when it connects; agent gateway login msgx gets a new one with a phone.",
  ],
  login: logIn,
  create: createMsgx,
});
