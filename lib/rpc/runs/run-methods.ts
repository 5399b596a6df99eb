import * as z from "zod";
import { defineMethod, type Methods } from "../../backplane/methods.js";
import type { RunList } from "../../contracts/board/runs.js";
import { listRuns } from "./list-runs.js";
import { type RunFactSources, runFacts } from "./run-facts.js";

/** What works by itself, for front ends (workspace part, 6.2). How it changes is reported over the topic `runs`. */
export function runMethods(parties: RunFactSources): Methods {
  return new Map([
    [
      "runs.list",
      defineMethod({
        params: z.object({}),
        access: "read",
        run: async (): Promise<RunList> => ({ runs: await listRuns(parties), at: parties.now() }),
      }),
    ],
    [
      "runs.info",
      defineMethod({
        params: z.object({ id: z.string().min(1).max(200) }),
        access: "read",
        run: async ({ id }) => runFacts(parties, id),
      }),
    ],
  ]);
}
