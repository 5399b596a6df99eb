import * as z from "zod";
import { defineCommand } from "../define.js";
import { requirePerson } from "../params/board-target.js";
import { openEntry } from "./text.js";

export default defineCommand({
  path: "dashboard token",
  summary: "Print the session token of the open dashboard, for API clients.",
  topic: "dashboard",
  params: z.object({ port: z.number().int().min(1).max(65_535).optional().describe("port of the dashboard") }),
  surfaces: ["cli"],
  access: "read",
  self: "secrets",
  run: async ({ port }, ctx) => {
    await requirePerson(ctx);
    const { token, listener } = await openEntry(ctx, port);
    return { text: token.reveal(), data: { token: token.reveal(), url: listener.url } };
  },
});
