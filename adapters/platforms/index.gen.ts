// Written by `make index`. Do not edit.
import type { PlatformEntry } from "../../lib/gateway/define.js";

export const PLATFORMS: readonly PlatformEntry[] = [
  {
    tag: "msgt",
    summary: "Bots of the Bot API, by long polls.",
    credentials: ["BOT_TOKEN"],
    load: async () => (await import("./msgt/msgt.js")).default,
  },
];
