import * as z from "zod";
import { defineCommand } from "../../define.js";

export default defineCommand({
  path: "gateway outbox retry",
  summary: "Send a message to a chat again, although it may have arrived.",
  topic: "gateway",
  params: z.object({ id: z.string().min(1).describe("id of the message, as agent gateway outbox shows it") }),
  positionals: ["id"],
  surfaces: ["cli", "rpc"],
  access: "write",
  run: async ({ id }, ctx) => {
    const data = await ctx.gateway.retry(id);
    return { text: `${id} will be sent by the gateway`, data };
  },
});
