import * as z from "zod";
import { defineCommand } from "../define.js";
import { refuseTools } from "../params/owner-needed.js";
import { pairingText } from "./text.js";

export default defineCommand({
  path: "pairing list",
  aliases: ["pairing"],
  summary: "Who may talk to the agent by a code that was approved, and who waits for that.",
  topic: "gateway",
  params: z.object({}),
  surfaces: ["cli"],
  access: "read",
  self: "secrets",
  run: async (_params, ctx) => {
    refuseTools(ctx);
    const data = await ctx.gateway.pairings();
    return { text: pairingText(data), data };
  },
});
