import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "computer-use driver",
  summary: "Serve a desktop driver as an MCP server on standard input and output.",
  topic: "desktop",
  params: z.object({
    driver: z
      .enum(["x11", "noop"])
      .describe("x11: the display of DISPLAY; noop: a window that does nothing, for tests"),
  }),
  positionals: ["driver"],
  surfaces: ["cli"],
  access: "admin",
  fromTools: true, // it changes nothing of a home and can do what xdotool can; the driver of a board worker runs below its tools
  outside: true,
  run: async ({ driver }, ctx) => ({ data: null, streamed: true, exit: await ctx.desktopControl.drive(driver) }),
});
