import * as z from "zod";
import { defineCommand } from "../define.js";

const KEY = "display.mouse";

export default defineCommand({
  path: "mouse",
  summary: "Whether the screen takes the mouse; without it the terminal's own selection works.",
  topic: "workspace",
  params: z.object({ what: z.enum(["on", "off", "status"]).default("status").describe("on, off, or what holds now") }),
  positionals: ["what"],
  surfaces: ["slash"],
  access: "read",
  run: async ({ what }, ctx) => {
    const on = what === "status" ? ctx.settings.get(KEY)?.value === true : what === "on";
    const means = on ? "the screen takes the mouse; Shift leaves it to the terminal" : "the mouse is the terminal's";
    return {
      text: `Mouse ${on ? "on" : "off"}: ${means}.`,
      data: { mouse: on },
      ...(what === "status" ? {} : { next: { screen: { mouse: on } } }),
    };
  },
});
