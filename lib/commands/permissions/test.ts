import * as z from "zod";
import { defineCommand } from "../define.js";
import { renderTest } from "./parts/render.js";
import { findPermissionPlace } from "./parts/rule-place.js";

export default defineCommand({
  path: "permissions test",
  summary: "Show how a command line is parsed and decided. Nothing is run.",
  topic: "permissions",
  params: z.object({ command: z.array(z.string()).min(1).describe("command line, quoted") }),
  positionals: ["command..."],
  surfaces: ["cli", "slash"],
  access: "read",
  run: async ({ command }, ctx) => {
    const test = await ctx.chat.permissionTest(command.join(" "), await findPermissionPlace(ctx));
    return { text: renderTest(test), data: test };
  },
});
