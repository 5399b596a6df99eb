import { definePlatform } from "../../../lib/gateway/adapter/define-platform.js";
import { addressesOf } from "../common/addresses.js";
import { checkMsgw } from "./check.js";
import { createMsgw } from "./platform.js";
import { readMsgwSettings } from "./settings.js";

export default definePlatform({
  tag: "msgw",
  summary: "A bot of a team chat, by activities that are posted to a listener.",
  traits: {
    caps: { textMax: 28_000 },
    spokenAnswers: "none",
    address: {
      chat: "(?!;messageid=)[^]+",
      thread: "[^]+",
      between: ";messageid=",
      form: "<conversation id>[;messageid=<id>]",
    },
    editEveryMs: 1500,
    monospace: true,
    alerts: true,
    listsDecide: true,
  },
  credentials: ["CLIENT_ID", "CLIENT_SECRET", "TENANT_ID"],
  switches: ["DEV_UNAUTHENTICATED"],
  setup: [
    {
      variable: "CLIENT_ID",
      ask: "Id of the app registration",
      hint: "the overview of the registration: Application (client) ID",
    },
    {
      variable: "CLIENT_SECRET",
      ask: "Secret of the app registration",
      secret: true,
      hint: "Certificates & secrets: the value, not the id",
    },
    {
      variable: "TENANT_ID",
      ask: "Id of the directory",
      hint: "the overview of the registration: Directory (tenant) ID",
    },
    { variable: "ALLOWED_USERS", ask: "Who may talk, as object ids of the directory with commas", optional: true },
  ],
  addresses: (given) =>
    addressesOf(readMsgwSettings(given), (read) => ({
      MSGW_LOGIN_BASE: read.loginBase,
      MSGW_OPENID_BASE: read.openIdBase,
      MSGW_SERVICE_URL: read.serviceUrl,
    })),
  check: checkMsgw,
  afterwards: [
    "Set the messaging endpoint of the bot to https://<this machine>/api/messages, which leads to port 3978 here.",
  ],
  create: createMsgw,
});
