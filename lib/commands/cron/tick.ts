import * as z from "zod";
import { toTickJson } from "../../contracts/gateway/cron-json.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "cron tick",
  summary: "Run one scheduler pass: start the jobs that are due.",
  topic: "cron",
  params: z.object({}),
  surfaces: ["cli", "rpc"],
  access: "write",
  run: async (_params, ctx) => {
    const summary = await ctx.cron.tick();
    return {
      text: `${summary.due} due, ${summary.started} started, ${summary.skipped} skipped`,
      data: toTickJson(summary),
    };
  },
});
