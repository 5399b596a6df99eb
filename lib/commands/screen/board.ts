import * as z from "zod";
import { defineCommand } from "../define.js";
import { toPane } from "../slash/pane.js";

export default defineCommand({
  path: "board",
  summary: "Go to the board, with only what the words let through.",
  topic: "workspace",
  params: z.object({
    filter: z.array(z.string()).default([]).describe("words, @assignee, #tenant; nothing shows everything"),
  }),
  positionals: ["filter..."],
  surfaces: ["slash"],
  access: "read",
  run: async ({ filter }) => toPane("board", filter),
});
