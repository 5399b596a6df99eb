import * as z from "zod";
import { defineCommand } from "../../define.js";

export default defineCommand({
  path: "gateway outbox drop",
  summary: "Discard an outgoing message.",
  topic: "gateway",
  params: z.object({ id: z.string().min(1).describe("message id, as shown by agent gateway outbox") }),
  positionals: ["id"],
  surfaces: ["cli", "rpc"],
  access: "write",
  run: async ({ id }, ctx) => {
    const data = await ctx.gateway.drop(id);
    return { text: `${id} discarded`, data };
  },
});
