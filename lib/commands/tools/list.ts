import * as z from "zod";
import { defineCommand } from "../define.js";
import { listingFor, renderToolListing } from "./listing.js";

export default defineCommand({
  path: "tools list",
  aliases: ["tools"],
  summary: "List the tools offered to a session, and why others are not.",
  topic: "tools",
  params: z.object({
    platform: z.string().optional().describe("front end: cli, cron, acp, api-server, gateway, ..."),
  }),
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  run: async ({ platform }, ctx) => {
    const listing = await listingFor(ctx, platform);
    return { text: renderToolListing(listing), data: listing, warnings: listing.notices };
  },
});
