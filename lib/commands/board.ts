import * as z from "zod";
import { defineCommand } from "./define.js";

export default defineCommand({
  path: "board",
  summary: "Go to the board, with only what the words let through.",
  topic: "workspace",
  params: z.object({ filter: z.array(z.string()).default([]).describe("words, @assignee, #tenant; nothing shows everything") }),
  positionals: ["filter..."],
  surfaces: ["slash"],
  access: "read",
  run: async ({ filter }) => {
    const words = filter.join(" ");
    const text = words === "" ? "The board." : `The board, only: ${words}`;
    return { text, data: { pane: "board", filter: words }, next: { screen: { pane: { name: "board", filter: words } } } };
  },
});
