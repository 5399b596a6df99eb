import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "meetings token-health",
  summary: "Request a graph token and check that the graph accepts it.",
  topic: "meetings",
  params: z.object({}),
  surfaces: ["cli"],
  access: "read",
  run: async (_params, ctx) => {
    const data = await ctx.gateway.tokenHealth(ctx.signal);
    const { ok, source, expires_at, roles, error } = data;
    const text = [
      ok ? `The graph accepts the token (${source}).` : `No valid token (${source}): ${error}`,
      ...(expires_at === null ? [] : [`Until: ${expires_at}`]),
      ...(roles.length === 0 ? [] : [`Permissions: ${roles.join(", ")}`]),
    ].join("\n");
    return { text, data, exit: ok ? 0 : 1 };
  },
});
