import { join } from "node:path";
import * as z from "zod";
import { defineMethod, type Methods } from "../backplane/methods.js";
import { tailText } from "../base/text-file.js";

const TAIL_BYTES = 256 * 1024;

/** The owner's log for front ends. Lines were redacted when they were written. */
export function logMethods(logs: string): Methods {
  return new Map([
    [
      "log.tail",
      defineMethod({
        params: z.object({ lines: z.int().min(1).max(5_000).default(500) }),
        access: "read",
        run: async ({ lines }) => ({
          lines: tailText(join(logs, "agent.log"), TAIL_BYTES)
            .split("\n")
            .filter((line) => line !== "")
            .slice(-lines),
        }),
      }),
    ],
  ]);
}
