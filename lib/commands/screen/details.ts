import * as z from "zod";
import { AppError } from "../../base/errors.js";
import type { ScreenChange } from "../../contracts/chat/slash.js";
import { defineCommand } from "../define.js";

const PARTS = ["thinking", "tools", "children"] as const;
const FOLDS = ["on", "off", "toggle"] as const;
const LEVELS = ["hidden", "collapsed", "expanded"] as const;

export default defineCommand({
  path: "details",
  summary:
    "Unfold or fold everything in the conversation on this screen, or say how thinking, tools and children come.",
  topic: "workspace",
  params: z.object({
    what: z
      .enum([...FOLDS, ...LEVELS])
      .default("toggle")
      .describe("on, off, or the other of what holds now; hidden, collapsed, expanded: how they come from now on"),
    part: z.enum(PARTS).optional().describe("of which; without it of all three"),
  }),
  positionals: ["what", "part"],
  surfaces: ["slash"],
  access: "read",
  run: async ({ what, part }) => {
    const level = LEVELS.find((one) => one === what);
    if (level !== undefined) return coming(level, part === undefined ? PARTS : [part]);
    if (part !== undefined)
      throw new AppError("E_USAGE", `${what} is for all of the conversation, not for ${part} alone`, {
        hint: `/details ${LEVELS.join("|")} ${part}`,
      });
    const details = FOLDS.find((one) => one === what) ?? "toggle";
    return {
      text: details === "toggle" ? "Details changed." : `Details ${details}.`,
      data: { details },
      next: { screen: { details } },
    };
  },
});

/** How they come by themselves, from now on and on every screen. */
function coming(level: (typeof LEVELS)[number], parts: readonly (typeof PARTS)[number][]) {
  const settings: ScreenChange["settings"] = Object.fromEntries(
    parts.map((part) => [`display.details.${part}`, level]),
  );
  return { text: `${listed(parts)}: ${level}.`, data: { details: level, parts }, next: { screen: { settings } } };
}

const listed = (parts: readonly string[]): string => parts.join(", ").replace(/^./, (first) => first.toUpperCase());
