import * as z from "zod";
import { AppError } from "../../base/errors.js";
import type { ScreenChange } from "../../contracts/chat/slash.js";
import { SIZED_PANES, type SizedPane } from "../../contracts/ui/panes.gen.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "layout",
  summary: "Resize a pane.",
  topic: "workspace",
  params: z.object({
    pane: z.enum([...SIZED_PANES, "reset"]).describe("pane, or reset for the default layout"),
    percent: z
      .number()
      .int()
      .min(10)
      .max(90)
      .optional()
      .describe("percent of the width for chat, of the right-hand height for others"),
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

function wanted(pane: SizedPane | "reset", percent: number | undefined): { text: string; layout: Layout } {
  if (pane === "reset") return { text: "Layout reset to the default.", layout: "reset" };
  if (percent === undefined) throw new AppError("E_USAGE", `missing size of ${pane}`, { hint: `/layout ${pane} 60` });
  return { text: `${pane}: ${percent} % on terminals of this size.`, layout: { pane, percent } };
}
