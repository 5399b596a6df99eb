import * as z from "zod";
import { AppError } from "../../base/errors.js";
import type { ScreenChange } from "../../contracts/chat/slash.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "layout",
  summary: "Change the size of a pane on this screen.",
  topic: "workspace",
  params: z.object({
    pane: z.enum(["chat", "board", "runs", "reset"]).describe("whose size; reset: all as they come"),
    percent: z
      .number()
      .int()
      .min(10)
      .max(90)
      .optional()
      .describe("of the width for chat, of the height at the right for the others"),
  }),
  positionals: ["pane", "percent"],
  surfaces: ["slash"],
  access: "read",
  run: async ({ pane, percent }) => {
    const { text, layout } = wanted(pane, percent);
    return { text, data: { layout }, next: { screen: { layout } } };
  },
});

type Layout = NonNullable<ScreenChange["layout"]>;

function wanted(
  pane: "chat" | "board" | "runs" | "reset",
  percent: number | undefined,
): { text: string; layout: Layout } {
  if (pane === "reset") return { text: "The panes have their first sizes again.", layout: "reset" };
  if (percent === undefined)
    throw new AppError("E_USAGE", `how large is ${pane} to be?`, { hint: `/layout ${pane} 60` });
  return { text: `${pane}: ${percent} %, on terminals of this size.`, layout: { pane, percent } };
}
