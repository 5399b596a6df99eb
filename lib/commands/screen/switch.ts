import * as z from "zod";
import { listedNearFirst } from "../conversation/session-rows.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "switch",
  summary: "List conversations, those of this directory first. /resume opens one.",
  topic: "sessions",
  params: z.object({ text: z.string().default("").describe("words in the title") }),
  positionals: ["text"],
  surfaces: ["slash"],
  access: "read",
  verbatim: true,
  run: ({ text }, ctx) => listedNearFirst(ctx, 20, text),
});
