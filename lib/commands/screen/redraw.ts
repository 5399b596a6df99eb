import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "redraw",
  summary: "Redraw the screen.",
  topic: "workspace",
  params: z.object({}),
  surfaces: ["slash"],
  access: "read",
  run: async () => ({ text: "Redrawn.", data: null, next: { screen: { redraw: true } } }),
});
