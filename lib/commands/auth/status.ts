import * as z from "zod";
import { systemClock } from "../../base/time/clock.js";
import { defineCommand } from "../define.js";
import { statusData, statusLines } from "./text.js";

export default defineCommand({
  path: "auth status",
  summary: "Show whether a provider has a login or a key.",
  topic: "auth",
  params: z.object({ provider: z.string().describe("provider") }),
  positionals: ["provider"],
  surfaces: ["cli", "rpc"],
  access: "read",
  run: async ({ provider }, ctx) => {
    const status = await ctx.auth.status(provider);
    return {
      text: statusLines(status, systemClock.now()).join("\n"),
      data: statusData(status),
      exit: status.logged_in ? 0 : 1,
    };
  },
});
