import { definePlatform } from "../../../lib/gateway/adapter/define-platform.js";
import { addressesOf } from "../common/addresses.js";
import { logIn } from "./login.js";
import { createMsgx } from "./platform.js";
import { readMsgxSettings } from "./settings.js";

export default definePlatform({
  tag: "msgx",
  summary: "A bot identity of a mobile messenger, by long polls; log in with a QR code.",
  traits: {
    caps: { textMax: 2000, edits: false, threads: false, buttons: "no" },
    address: { chat: "[^]+", form: "<user or group id>" },
    joins: { quiet: [{ fromChars: 0, ms: 3000 }], most: { ms: 5000 } },
    display: { tools: "off", busyDetail: false, interim: false, life: false, streaming: false },
    streams: false,
    quotes: false,
    sparing: true,
    dmPolicy: true,
    idsByCase: true,
  },
  credentials: ["ACCOUNT_ID", "TOKEN"],
  claims: ["TOKEN"],
  setup: [
    { variable: "ACCOUNT_ID", ask: "Id of the bot account", hint: "agent gateway login msgx stores it automatically" },
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
