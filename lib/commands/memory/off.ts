import * as z from "zod";
import { defineCommand } from "../define.js";
import { requireMaster } from "./memory-text.js";

export default defineCommand({
  path: "memory off",
  summary: "Switch the memory off. What is remembered stays in its files.",
  topic: "memory",
  params: z.object({}),
  surfaces: ["cli", "slash", "rpc"],
  access: "admin",
  self: "settings",
  run: async (_params, ctx) => {
    requireMaster(ctx);
    const set = (key: string) => ctx.settings.set(key, "false", { asText: false, force: false });
    await set("memory.memory_enabled");
    await set("memory.user_profile_enabled");
    return { text: "The memory is off; agent memory setup switches it on again.", data: { enabled: false } };
  },
});
