import { definePlatform } from "../../../lib/gateway/adapter/define-platform.js";
import { addressesOf, insecureOf } from "../common/addresses.js";
import { checkMsgt } from "./check.js";
import { createMsgt } from "./platform.js";
import { readMsgtSettings } from "./settings.js";

export default definePlatform({
  tag: "msgt",
  summary: "Bots of the Bot API, by long polls.",
  traits: {
    caps: { textMax: 4096, reactions: true },
    spokenAnswers: "ogg",
    address: {
      chat: "-?[0-9]+|@[A-Za-z0-9_]+",
      thread: "[0-9]+",
      form: "<chat>[:<thread>], chat -100123 or @name",
    },
    joins: {
      quiet: [
        { fromChars: 4000, ms: 1000 },
        { fromChars: 1025, ms: 300 },
        { fromChars: 321, ms: 240 },
        { fromChars: 0, ms: 180 },
      ],
      filesMs: 800,
      albums: true,
    },
    display: { tools: "off", busyDetail: false },
    monospace: true,
    alerts: true,
    followUpGraceMs: 3000,
    jobThread: true,
    directTopics: true,
    directChatIsUser: true,
    chatTypes: { begins: { "-": "group", "@": "group" }, otherwise: "dm" },
    threadTypes: { group: "forum" },
    listsDecide: true,
    groupLists: { chatsBegin: "-" },
  },
  credentials: ["BOT_TOKEN"],
  setup: [
    {
      variable: "BOT_TOKEN",
      ask: "Token of the bot",
      secret: true,
      hint: "@BotFather gives it: /newbot makes a bot, /token shows the token of one that is there",
      problem: (answer) =>
        /^\d{1,20}:[\w-]{1,128}$/.test(answer) ? undefined : "Not a bot token; it must look like 123456:ABC-DEF.",
    },
    {
      variable: "ALLOWED_USERS",
      ask: "Numeric user ids of those who may talk, with commas",
      optional: true,
      hint: "empty: each sender gets a pairing code, which agent pairing approve admits; agent pairing list shows user ids",
      problem: (answer) =>
        answer.split(",").every((one) => /^(?:\d{1,20}|\*)$/.test(one.trim()))
          ? undefined
          : "User ids are numbers, with commas between them.",
    },
  ],
  addresses: ({ settings, others }) =>
    addressesOf(readMsgtSettings(settings, insecureOf(others)), (read) => ({
      MSGT_API_BASE: read.apiBase,
      MSGT_FILE_BASE: read.fileBase,
    })),
  check: checkMsgt,
  afterwards: ["Send the bot a message first: it cannot start a chat."],
  create: createMsgt,
});
