import * as z from "zod";
import { defineCommand } from "../../define.js";

export default defineCommand({
  path: "gateway outbox retry",
  summary: "Send a message again, although it may have been delivered.",
  topic: "gateway",
  params: z.object({ id: z.string().min(1).describe("message id, as shown by agent gateway outbox") }),
  positionals: ["id"],
  surfaces: ["cli", "rpc"],
  access: "write",
  run: async ({ id }, ctx) => {
    const data = await ctx.gateway.retry(id);
    return { text: `${id} queued for sending`, data };
  },
});
