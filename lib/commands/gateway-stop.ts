import * as z from "zod";
import { defineCommand } from "./define.js";

export default defineCommand({
  path: "gateway stop",
  summary: "Stop the messaging gateway; running turns of chats get their time.",
  topic: "gateway",
  params: z.object({}),
  surfaces: ["cli", "rpc"],
  access: "read",
  run: async (_params, ctx) => {
    const stopping = await ctx.gateway.stop();
    if (stopping === undefined) return { text: "the gateway is not running", data: { ok: true, running: false } };
    const { pid, stays } = stopping;
    const text = stays ? `the gateway is stopped; the workspace (pid ${pid}) stays open` : `the gateway (pid ${pid}) is stopping`;
    return { text, data: { ok: true, running: true, pid, stays } };
  },
});
