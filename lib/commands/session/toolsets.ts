import * as z from "zod";
import { defineCommand } from "../define.js";
import { listingFor, toolsetLines } from "../tools/listing.js";

export default defineCommand({
  path: "toolsets",
  summary: "List toolsets and their tools.",
  topic: "tools",
  params: z.object({}),
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  run: async (_params, ctx) => {
    const listing = await listingFor(ctx);
    return { text: toolsetLines(listing), data: listing.toolsets, warnings: listing.notices };
  },
});
