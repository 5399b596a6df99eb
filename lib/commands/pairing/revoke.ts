import * as z from "zod";
import { PLATFORM_TAGS } from "../../contracts/board/platform-tag.js";
import { defineCommand } from "../define.js";
import { refuseTools } from "../params/owner-needed.js";
import { pairedLine } from "./text.js";

export default defineCommand({
  path: "pairing revoke",
  summary: "Make somebody who was paired a stranger again.",
  topic: "gateway",
  params: z.object({
    platform: z.enum(PLATFORM_TAGS).describe("platform of the user"),
    user: z.string().min(1).describe("user id, as agent pairing list shows it"),
  }),
  positionals: ["platform", "user"],
  surfaces: ["cli"],
  access: "admin",
  self: "settings",
  run: async ({ platform, user }, ctx) => {
    refuseTools(ctx);
    const data = await ctx.gateway.revokePairing(platform, user);
    return { text: `${pairedLine(data)} may not talk to the agent any more`, data };
  },
});
