import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "statusbar",
  aliases: ["sb"],
  summary: "Show or hide the status line and the hints of this screen.",
  topic: "workspace",
  params: z.object({
    what: z.enum(["on", "off", "toggle"]).default("toggle").describe("on, off, or the other of both"),
  }),
  positionals: ["what"],
  surfaces: ["slash"],
  access: "read",
  run: async ({ what }) => ({
    text: what === "toggle" ? "Status line and hints: the other way round." : `Status line and hints: ${what}.`,
    data: { statusbar: what },
    next: { screen: { statusbar: what } },
  }),
});
