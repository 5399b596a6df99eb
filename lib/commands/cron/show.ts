import * as z from "zod";
import { toPlannedJson } from "../../contracts/gateway/cron-json.js";
import { defineCommand } from "../define.js";
import { jobText } from "./text.js";

export default defineCommand({
  path: "cron show",
  summary: "Show a scheduled job and its next three runs.",
  topic: "cron",
  params: z.object({ job: z.string().describe("id or name") }),
  positionals: ["job"],
  surfaces: ["cli", "rpc"],
  access: "read",
  run: async ({ job }, ctx) => {
    const shown = await ctx.cron.show(job);
    return { text: jobText(shown), data: toPlannedJson(shown) };
  },
});
