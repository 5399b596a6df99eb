// Written by `make index`. Do not edit.
import type { PlatformEntry } from "../../lib/gateway/adapter/define-platform.js";

export const PLATFORMS: readonly PlatformEntry[] = [
  {
    tag: "msgd",
    summary: "Bots of servers with channels and threads, over a websocket.",
    credentials: ["BOT_TOKEN"],
    load: async () => (await import("./msgd/msgd.js")).default,
  },
  {
    tag: "msgf",
    summary: "Bots of a workplace messenger, by its long connection or by webhook.",
    credentials: ["APP_ID","APP_SECRET"],
    load: async () => (await import("./msgf/msgf.js")).default,
  },
  {
    tag: "msgg",
    summary: "A chat app whose events come over a Pub/Sub subscription.",
    credentials: ["SUBSCRIPTION_NAME"],
    load: async () => (await import("./msgg/msgg.js")).default,
  },
  {
    tag: "msgl",
    summary: "Channels of the Messaging API, by a webhook of its own.",
    credentials: ["CHANNEL_ACCESS_TOKEN","CHANNEL_SECRET"],
    load: async () => (await import("./msgl/msgl.js")).default,
  },
  {
    tag: "msgt",
    summary: "Bots of the Bot API, by long polls.",
    credentials: ["BOT_TOKEN"],
    load: async () => (await import("./msgt/msgt.js")).default,
  },
  {
    tag: "msgw",
    summary: "A bot of a team chat, by activities that are posted to a listener.",
    credentials: ["CLIENT_ID","CLIENT_SECRET","TENANT_ID"],
    switches: ["DEV_UNAUTHENTICATED"],
    load: async () => (await import("./msgw/msgw.js")).default,
  },
  {
    tag: "msgx",
    summary: "A bot identity of a mobile messenger, by long polls; log in with a QR code.",
    credentials: ["ACCOUNT_ID","TOKEN"],
    load: async () => (await import("./msgx/msgx.js")).default,
  },
];
