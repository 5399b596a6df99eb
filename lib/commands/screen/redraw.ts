import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "redraw",
  summary: "Draw the whole screen again.",
  topic: "workspace",
  params: z.object({}),
  surfaces: ["slash"],
  access: "read",
  run: async () => ({ text: "Drawn again.", data: null, next: { screen: { redraw: true } } }),
});
