import * as z from "zod";
import { defineCommand } from "../define.js";
import { requireMaster } from "./memory-text.js";

export default defineCommand({
  path: "memory setup",
  summary: "Switch the memory on, and choose whether its changes wait for you.",
  topic: "memory",
  params: z.object({
    approval: z.enum(["on", "off"]).optional().describe("every change waits for you: on or off"),
    provider: z.string().optional().describe("plugin whose memory is used beside the files; none removes it"),
  }),
  surfaces: ["cli", "slash", "rpc"],
  access: "admin",
  self: "settings",
  run: async ({ approval, provider }, ctx) => {
    requireMaster(ctx);
    const set = (key: string, on: boolean) => ctx.settings.set(key, String(on), { asText: false, force: false });
    await set("memory.memory_enabled", true);
    await set("memory.user_profile_enabled", true);
    if (approval !== undefined) await set("memory.write_approval", approval === "on");
    if (provider !== undefined)
      await ctx.settings.set("memory.provider", provider === "none" ? "" : provider, { asText: true, force: false });
    const waits = approval === undefined ? "" : ` Changes ${approval === "on" ? "wait for you" : "happen at once"}.`;
    return {
      text: `The memory is on.${waits} New conversations use it.`,
      data: { enabled: true, approval: approval ?? null },
    };
  },
});
