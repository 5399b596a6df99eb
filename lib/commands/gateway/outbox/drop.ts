import * as z from "zod";
import { defineCommand } from "../../define.js";

export default defineCommand({
  path: "gateway outbox drop",
  summary: "Give up a message to a chat.",
  topic: "gateway",
  params: z.object({ id: z.string().min(1).describe("id of the message, as agent gateway outbox shows it") }),
  positionals: ["id"],
  surfaces: ["cli", "rpc"],
  access: "write",
  run: async ({ id }, ctx) => {
    const data = await ctx.gateway.drop(id);
    return { text: `${id} is given up`, data };
  },
});
