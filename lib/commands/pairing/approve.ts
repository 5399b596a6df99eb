import * as z from "zod";
import { PLATFORM_TAGS } from "../../contracts/board/platform-tag.js";
import { defineCommand } from "../define.js";
import { refuseTools } from "../params/owner-needed.js";
import { pairedLine } from "./text.js";

export default defineCommand({
  path: "pairing approve",
  summary: "Let somebody talk to the agent who was given this code.",
  topic: "gateway",
  params: z.object({
    platform: z.enum(PLATFORM_TAGS).describe("platform that the code was given on"),
    code: z.string().min(1).describe("the code, 8 characters"),
  }),
  positionals: ["platform", "code"],
  surfaces: ["cli"],
  access: "admin",
  self: "settings",
  run: async ({ platform, code }, ctx) => {
    refuseTools(ctx);
    const data = await ctx.gateway.approvePairing(platform, code);
    return { text: `${pairedLine(data)} may talk to the agent now; they are not told, and just write again`, data };
  },
});
