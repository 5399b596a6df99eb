import * as z from "zod";
import { defineCommand } from "./define.js";

export default defineCommand({
  path: "details",
  summary: "Unfold everything that the conversation on this screen holds folded, or fold it again.",
  topic: "workspace",
  params: z.object({ what: z.enum(["on", "off", "toggle"]).default("toggle").describe("on, off, or the other of what holds now") }),
  positionals: ["what"],
  surfaces: ["slash"],
  access: "read",
  run: async ({ what }) => ({
    text: what === "toggle" ? "Details changed." : `Details ${what}.`,
    data: { details: what },
    next: { screen: { details: what } },
  }),
});
