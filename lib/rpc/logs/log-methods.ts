import * as z from "zod";
import { defineMethod, type Methods } from "../../backplane/methods.js";
import { logFilterSchema } from "../../contracts/ui/log-lines.js";
import type { LogSources } from "./log-files.js";
import { logPage } from "./log-page.js";

/** Logs for front ends, older lines first of all: live ones come over a topic. Lines were redacted when they were written. */
export function logMethods(parties: LogSources): Methods {
  return new Map([
    [
      "log.page",
      defineMethod({
        params: z.object({
          filter: logFilterSchema.default({ source: "owner" }),
          /** Place that the last page gave. */
          before: z.string().max(4_000).optional(),
          lines: z.int().min(1).max(2_000).default(500),
        }),
        access: "read",
        run: async ({ filter, before, lines }) => logPage(parties, { filter, before, lines }),
      }),
    ],
  ]);
}
