import * as z from "zod";
import { defineCommand } from "../define.js";

const KEY = "display.mouse";

export default defineCommand({
  path: "mouse",
  summary: "Turn mouse support on or off. When off, the terminal's own selection works.",
  topic: "workspace",
  params: z.object({
    what: z.enum(["on", "off", "status"]).default("status").describe("on or off (default: show the current value)"),
  }),
  positionals: ["what"],
  surfaces: ["slash"],
  access: "read",
  run: async ({ what }, ctx) => {
    const on = what === "status" ? ctx.settings.get(KEY)?.value === true : what === "on";
    const means = on ? "mouse events go to the screen; hold Shift to select text" : "mouse events go to the terminal";
    return {
      text: `Mouse ${on ? "on" : "off"}: ${means}.`,
      data: { mouse: on },
      ...(what === "status" ? {} : { next: { screen: { mouse: on } } }),
    };
  },
});
