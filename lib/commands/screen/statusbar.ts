import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "statusbar",
  aliases: ["sb"],
  summary: "Show or hide the status line and key hints.",
  topic: "workspace",
  params: z.object({
    what: z.enum(["on", "off", "toggle"]).default("toggle").describe("on or off (default: toggle)"),
  }),
  positionals: ["what"],
  surfaces: ["slash"],
  access: "read",
  run: async ({ what }) => ({
    text: what === "toggle" ? "Status line and hints toggled." : `Status line and hints: ${what}.`,
    data: { statusbar: what },
    next: { screen: { statusbar: what } },
  }),
});
