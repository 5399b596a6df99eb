import * as z from "zod";
import { toJobJson } from "../../contracts/gateway/cron-json.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "cron remove",
  summary: "Delete a scheduled job and stop its run. Output files are kept.",
  topic: "cron",
  params: z.object({ job: z.string().describe("id or name") }),
  positionals: ["job"],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  whole: true,
  run: async ({ job }, ctx) => {
    const removed = await ctx.cron.remove(job);
    return { text: `Removed ${removed.id}: ${removed.name}`, data: toJobJson(removed) };
  },
});
