import * as z from "zod";
import { defineCommand } from "../define.js";
import { requirePerson } from "../params/board-target.js";
import { openEntry } from "./text.js";

export default defineCommand({
  path: "dashboard url",
  summary: "Print a dashboard URL that works once, within two minutes.",
  topic: "dashboard",
  params: z.object({ port: z.number().int().min(1).max(65_535).optional().describe("port of the dashboard") }),
  surfaces: ["cli"],
  access: "read",
  self: "secrets",
  run: async ({ port }, ctx) => {
    await requirePerson(ctx);
    const { entryUrl, listener } = await openEntry(ctx, port);
    const url = entryUrl();
    return { text: url, data: { url, port: listener.port, expires_in: 120 } };
  },
});
