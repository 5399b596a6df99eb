import * as z from "zod";
import { defineMethod, type Methods } from "../../backplane/methods.js";
import type { SessionId } from "../../base/units.js";
import type { CommandEntry } from "../../commands/entry.js";
import { type Completed, createCompletions } from "./completions.js";

/** What can be typed at the cursor of an input line (core part, 1.3): 50 candidates at most, and soon. */
export function completeMethods(entries: readonly CommandEntry[], app: Completed): Methods {
  const completions = createCompletions(
    app,
    entries.filter((entry) => entry.surfaces.includes("slash")),
  );
  return new Map([
    [
      "complete",
      defineMethod({
        params: z.object({
          text: z.string().max(1 << 20),
          cursor: z.int().min(0),
          /** Directory of the caller; that of the conversation counts more. */
          cwd: z.string().optional(),
          session_id: z.string().min(1).optional(),
        }),
        access: "read",
        run: async ({ text, cursor, cwd, session_id }) => {
          const session = session_id as SessionId | undefined; // absent: then `cwd`
          return completions.at(text, cursor, { cwd, session });
        },
      }),
    ],
  ]);
}
