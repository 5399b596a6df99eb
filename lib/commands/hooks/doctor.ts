import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "hooks doctor",
  summary: "Check the configured hooks; approved ones are run once with an empty payload.",
  topic: "hooks",
  params: z.object({}),
  surfaces: ["cli"],
  access: "admin",
  self: "settings",
  run: async (_params, ctx) => {
    const checks = await ctx.hooks.doctor(ctx.signal);
    const lines = checks.map(({ name, status, detail, fix }) =>
      [`${status.padEnd(4)} ${name}: ${detail}`, ...(fix === undefined ? [] : [`     fix: ${fix}`])].join("\n"),
    );
    const text = checks.length === 0 ? "no hooks configured (agent help hooks)" : lines.join("\n");
    return { text, data: checks, exit: checks.every(({ status }) => status === "ok") ? 0 : 1 };
  },
});
