import * as z from "zod";
import { defineCommand } from "../define.js";
import { toPane } from "../slash/pane.js";

export default defineCommand({
  path: "logs",
  summary: "Go to the logs, with only the lines that have the text.",
  topic: "workspace",
  params: z.object({ filter: z.array(z.string()).default([]).describe("a text; nothing shows everything") }),
  positionals: ["filter..."],
  surfaces: ["slash"],
  access: "read",
  run: async ({ filter }) => toPane("logs", filter),
});
