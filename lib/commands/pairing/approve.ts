import * as z from "zod";
import { defineCommand } from "../define.js";
import { refuseTools } from "../params/owner-needed.js";
import { platformParam } from "../params/platform.js";
import { pairedLine } from "./text.js";

export default defineCommand({
  path: "pairing approve",
  summary: "Approve a pairing code: its user may talk to the agent.",
  topic: "gateway",
  params: z.object({
    platform: platformParam("platform of the code"),
    code: z.string().min(1).describe("pairing code, 8 characters"),
  }),
  positionals: ["platform", "code"],
  surfaces: ["cli"],
  access: "admin",
  self: "settings",
  run: async ({ platform, code }, ctx) => {
    refuseTools(ctx);
    const data = await ctx.gateway.approvePairing(platform, code);
    return {
      text: `${pairedLine(data)} may now talk to the agent; they are not notified and can send their message again`,
      data,
    };
  },
});
