import * as z from "zod";
import { defineCommand } from "../define.js";
import { refuseTools } from "../params/owner-needed.js";
import { pairingText } from "./text.js";

export default defineCommand({
  path: "pairing list",
  aliases: ["pairing"],
  summary: "List paired users and pending pairing codes.",
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
