import * as z from "zod";
import { defineCommand } from "../define.js";
import { toPane } from "../slash/pane.js";

export default defineCommand({
  path: "logs",
  summary: "Show the logs, filtered by text.",
  topic: "workspace",
  params: z.object({ filter: z.array(z.string()).default([]).describe("text; empty shows all") }),
  positionals: ["filter..."],
  surfaces: ["slash"],
  access: "read",
  run: async ({ filter }) => toPane("logs", filter),
});
