import * as z from "zod";
import { AppError } from "../../base/errors.js";
import type { ScreenChange } from "../../contracts/chat/slash.js";
import { defineCommand } from "../define.js";

const PARTS = ["thinking", "tools", "children"] as const;
const FOLDS = ["on", "off", "toggle"] as const;
const LEVELS = ["hidden", "collapsed", "expanded"] as const;

export default defineCommand({
  path: "details",
  summary: "Expand or collapse the conversation, or set how thinking, tools and children are shown.",
  topic: "workspace",
  params: z.object({
    what: z
      .enum([...FOLDS, ...LEVELS])
      .default("toggle")
      .describe("on, off (default: toggle), or the new default: hidden, collapsed, expanded"),
    part: z.enum(PARTS).optional().describe("thinking, tools or children (default: all)"),
  }),
  positionals: ["what", "part"],
  surfaces: ["slash"],
  access: "read",
  run: async ({ what, part }) => {
    const level = LEVELS.find((one) => one === what);
    if (level !== undefined) return coming(level, part === undefined ? PARTS : [part]);
    if (part !== undefined)
      throw new AppError("E_USAGE", `${what} applies to the whole conversation, not to ${part} alone`, {
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
