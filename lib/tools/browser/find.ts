import * as z from "zod";
import type { BrowserFind } from "../../contracts/browser/browser.js";

/** What is looked for in a page: rows that match come first. */
export const FIND = z
  .object({
    role: z.string().max(40).optional().describe("Role, such as button, link, textbox, heading."),
    name: z.string().max(200).optional().describe("Part of the name."),
    text: z.string().max(200).optional().describe("Part of the text."),
  })
  .optional()
  .describe("Elements to show first.");

/** The parts that are given. */
export function findOf(find: z.output<typeof FIND>): { readonly find?: BrowserFind } {
  if (find === undefined) return {};
  const { role, name, text } = find;
  if ([role, name, text].every((part) => part === undefined || part.trim() === "")) return {};
  return {
    find: {
      ...(role === undefined ? {} : { role }),
      ...(name === undefined ? {} : { name }),
      ...(text === undefined ? {} : { text }),
    },
  };
}
