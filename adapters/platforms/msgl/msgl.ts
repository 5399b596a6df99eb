import { definePlatform } from "../../../lib/gateway/adapter/define-platform.js";
import { addressesOf, insecureOf } from "../common/addresses.js";
import { checkMsgl } from "./check.js";
import { createMsgl } from "./platform.js";
import { readMsglSettings } from "./settings.js";

export default definePlatform({
  tag: "msgl",
  summary: "Channels of the Messaging API, by a webhook of its own.",
  traits: {
    caps: {
      textMax: 4500,
      messagesPerCall: 5,
      edits: false,
      threads: false,
      buttons: "slow-answer",
      pushCosts: true,
    },
    spokenAnswers: "m4a",
    address: { chat: "[UCR][0-9A-Fa-f]{32}", form: "U..., C... or R... with 32 hex digits" },
    sendKey: { windowMs: 24 * 3_600_000, replyRightMs: 60_000 },
    display: { tools: "off", busyDetail: false, interim: false, life: false, streaming: false },
    streams: false,
    sparing: true,
    chatTypes: { begins: { U: "dm" }, otherwise: "group" },
  },
  credentials: ["CHANNEL_ACCESS_TOKEN", "CHANNEL_SECRET"],
  claims: ["CHANNEL_ACCESS_TOKEN"],
  setup: [
    {
      variable: "CHANNEL_ACCESS_TOKEN",
      ask: "Channel access token",
      secret: true,
      hint: "the console of the channel, under Messaging API",
    },
    {
      variable: "CHANNEL_SECRET",
      ask: "Channel secret",
      secret: true,
      hint: "the console of the channel, under Basic settings",
    },
    {
      variable: "PUBLIC_URL",
      ask: "Public https address of this listener",
      optional: true,
      hint: "needed to send pictures and sounds",
    },
  ],
  addresses: ({ settings, others }) =>
    addressesOf(readMsglSettings(settings, insecureOf(others)), (read) => ({
      MSGL_API_BASE: read.apiBase,
      MSGL_DATA_API_BASE: read.dataBase,
    })),
  check: checkMsgl,
  afterwards: [
    "Set the webhook address of the channel to https://<this machine>/msgl/webhook, which leads to port 8646 here, and switch webhooks on.",
  ],
  create: createMsgl,
});
