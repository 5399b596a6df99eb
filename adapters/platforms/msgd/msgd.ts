import { definePlatform } from "../../../lib/gateway/adapter/define-platform.js";
import { addressesOf } from "../common/addresses.js";
import { checkMsgd } from "./check.js";
import { createMsgd } from "./platform.js";
import { readMsgdSettings } from "./settings.js";

export default definePlatform({
  tag: "msgd",
  summary: "Bots of servers with channels and threads, over a websocket.",
  traits: {
    caps: { textMax: 2000, reactions: true },
    spokenAnswers: "ogg",
    address: { chat: "[0-9]+", thread: "[0-9]+", form: "<channel>[:<thread>], digits" },
    sendKey: { form: "nonce", windowMs: 120_000 },
    joins: {
      quiet: [
        { fromChars: 1900, ms: 2000 },
        { fromChars: 0, ms: 600 },
      ],
    },
    display: { tools: "all" },
    monospace: true,
    alerts: true,
    chatTypes: { begins: {}, otherwise: "channel" },
    threadTypes: { group: "thread", channel: "thread", forum: "thread", thread: "thread" },
    listsDecide: true,
    roleLists: true,
  },
  credentials: ["BOT_TOKEN"],
  setup: [
    {
      variable: "BOT_TOKEN",
      ask: "Token of the bot",
      secret: true,
      hint: "the developer portal shows it once, under Bot, Reset Token",
      problem: (answer) =>
        /^[^.\s]+\.[^.\s]+\.[^.\s]+$/.test(answer)
          ? undefined
          : "Not a bot token: it must have three parts separated by dots.",
    },
    {
      variable: "ALLOWED_USERS",
      ask: "Ids of those who may talk, with commas",
      optional: true,
      hint: "developer mode on, a right click on a person offers Copy User ID",
    },
  ],
  addresses: ({ settings, others }) =>
    addressesOf(readMsgdSettings(settings, others("gateway")), ({ apiBase }) => ({ MSGD_API_BASE: apiBase })),
  check: checkMsgd,
  afterwards: [
    "Switch Message Content Intent on in the developer portal, under Bot.",
    "Invite the bot with an address that the portal makes, under OAuth2, with the scopes bot and applications.commands.",
  ],
  create: createMsgd,
});
