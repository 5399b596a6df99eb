import * as z from "zod";
import { defineCommand } from "../define.js";
import { toPane } from "../slash/pane.js";

export default defineCommand({
  path: "board",
  summary: "Show the board, filtered by words.",
  topic: "workspace",
  params: z.object({
    filter: z.array(z.string()).default([]).describe("words, @assignee, #tenant; empty shows all"),
  }),
  positionals: ["filter..."],
  surfaces: ["slash"],
  access: "read",
  run: async ({ filter }) => toPane("board", filter),
});
