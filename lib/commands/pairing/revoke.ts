import * as z from "zod";
import { defineCommand } from "../define.js";
import { refuseTools } from "../params/owner-needed.js";
import { platformParam } from "../params/platform.js";
import { pairedLine } from "./text.js";

export default defineCommand({
  path: "pairing revoke",
  summary: "Revoke a user's pairing.",
  topic: "gateway",
  params: z.object({
    platform: platformParam("platform of the user"),
    user: z.string().min(1).describe("user id, as shown by agent pairing list"),
  }),
  positionals: ["platform", "user"],
  surfaces: ["cli"],
  access: "admin",
  self: "settings",
  run: async ({ platform, user }, ctx) => {
    refuseTools(ctx);
    const data = await ctx.gateway.revokePairing(platform, user);
    return { text: `${pairedLine(data)} may no longer talk to the agent`, data };
  },
});
