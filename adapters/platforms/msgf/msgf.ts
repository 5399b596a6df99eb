import { definePlatform } from "../../../lib/gateway/adapter/define-platform.js";
import { addressesOf, insecureOf } from "../common/addresses.js";
import { checkMsgf } from "./check.js";
import { loadLibrary } from "./library.js";
import { createMsgf } from "./platform.js";
import { readMsgfSettings } from "./settings.js";

export default definePlatform({
  tag: "msgf",
  summary: "Bots of a workplace messenger, by its long connection or by webhook.",
  traits: {
    caps: { textMax: 8000, partialEditsMax: 18, reactions: true },
    spokenAnswers: "ogg",
    address: { chat: "o[cun]_[A-Za-z0-9_-]+", thread: "[^\\s:]+", form: "oc_..., ou_... or on_...[:<thread>]" },
    sendKey: { windowMs: 3_600_000 },
    joins: {
      quiet: [
        { fromChars: 4000, ms: 2000 },
        { fromChars: 0, ms: 600 },
      ],
      filesMs: 800,
      most: { messages: 8, chars: 4000 },
    },
    alerts: true,
  },
  credentials: ["APP_ID", "APP_SECRET"],
  setup: [
    { variable: "APP_ID", ask: "App id", hint: "begins with cli_; it stands with the credentials of the app" },
    { variable: "APP_SECRET", ask: "App secret", secret: true, hint: "stands beside the app id" },
    {
      variable: "DOMAIN",
      ask: "Domain",
      optional: true,
      hint: "feishu, lark, or an address; empty: feishu",
      problem: (answer) =>
        /^(feishu|lark|https?:\/\/\S+)$/.test(answer) ? undefined : "It is feishu, lark or an address.",
    },
    {
      variable: "ALLOWED_USERS",
      ask: "Open ids of those who may talk, with commas",
      optional: true,
      hint: "they begin with ou_",
    },
  ],
  addresses: ({ settings, others }) =>
    addressesOf(readMsgfSettings(settings, insecureOf(others)), ({ apiBase }) => ({ MSGF_DOMAIN: apiBase })),
  check: checkMsgf,
  afterwards: [
    "In the console of the app, switch the bot on, let it get the event im.message.receive_v1 over a long connection, and publish a version.",
  ],
  create: (ports) => createMsgf(ports, loadLibrary),
});
