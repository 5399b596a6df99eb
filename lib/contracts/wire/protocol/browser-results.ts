import * as z from "zod";
import type { BrowserStatus } from "../../browser/browser.js";
import type { Results } from "./define.js";

const status = z.object({
  kind: z.enum(["local", "attached", "provider", "none"]),
  running: z.boolean(),
  where: z.string().nullable().describe("program or endpoint"),
  version: z.string().nullable().describe("of the browser that runs"),
  contexts: z.int(),
  leases: z.array(
    z.object({
      owner: z.int().nullable().describe("pid of the process that started the browser"),
      browser: z.int().nullable().describe("pid of the browser"),
      live: z.boolean().describe("false: the owner has ended"),
    }),
  ),
  why: z.string().nullable().describe("why no browser can be used, and what to do"),
  note: z.string().nullable().describe("what to know about how it runs"),
}) satisfies z.ZodType<BrowserStatus>;

/** Answers of the methods about the browser. */
export const BROWSER_RESULTS: Results = {
  "browser.connect": status,
  "browser.disconnect": status,
  "browser.status": status,
};
