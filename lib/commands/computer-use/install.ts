import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "computer-use install",
  summary: "Install the programs that computer_use needs. Shows the exact command and asks first.",
  topic: "desktop",
  params: z.object({
    upgrade: z.boolean().default(false).describe("also upgrade what is installed"),
    yes: z.boolean().default(false).describe("install without asking"),
  }),
  short: { yes: "y" },
  surfaces: ["cli"],
  access: "admin",
  self: "settings",
  outside: true,
  run: async (given, ctx) => {
    const { ok, text, command } = await ctx.desktopControl.install(given);
    return { data: { ok, command, message: text }, text, exit: ok ? 0 : 1 };
  },
});
