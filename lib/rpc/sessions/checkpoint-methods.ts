import * as z from "zod";
import { defineMethod, type Methods } from "../../backplane/methods.js";
import type { SessionId } from "../../base/units.js";
import type { CheckpointApi, PlannedChange } from "../../contracts/owner/checkpoints.js";

const directory = z.string().min(1);
const which = z.string().min(1).describe("must be a list number of the directory, or an id of 4 to 8 hex digits");
const session_id = z
  .string()
  .min(1)
  .transform((text) => text as SessionId); // the one to notify; an unknown one is not

/** Paths of one list, and characters of all texts together: an answer is one message. */
const PATHS = 1_000;
const TEXT_CHARS = 256 << 10;

/** Lists are cut; `more` says how many each of them left out. */
function fitting<T extends object>(answer: T): T & { readonly more?: Readonly<Record<string, number>> } {
  const long = Object.entries(answer).filter(
    (entry): entry is [string, unknown[]] => Array.isArray(entry[1]) && entry[1].length > PATHS,
  );
  if (long.length === 0) return answer;
  const cut = Object.fromEntries(long.map(([name, list]) => [name, list.slice(0, PATHS)]));
  return { ...answer, ...cut, more: Object.fromEntries(long.map(([name, list]) => [name, list.length - PATHS])) };
}

/** The first texts as far as they fit. */
function withTexts(changes: readonly PlannedChange[]): readonly PlannedChange[] {
  let left = TEXT_CHARS;
  return changes.map(({ diff, ...change }) => {
    left -= diff?.length ?? 0;
    return diff === undefined || left < 0 ? change : { ...change, diff };
  });
}

/** Checkpoints for front ends (core part, 1.3). */
export function checkpointMethods(checkpoints: CheckpointApi): Methods {
  const here = (path: string | undefined) => (path === undefined ? undefined : checkpoints.directoryOf(path, {}));
  return new Map([
    [
      "checkpoint.list",
      defineMethod({
        params: z.object({ directory: directory.optional(), limit: z.int().min(1).max(1_000).default(20) }),
        access: "read",
        run: async ({ directory: path, limit }) => {
          const found = await here(path);
          return checkpoints.list({ limit, ...(found === undefined ? {} : { directory: found }) });
        },
      }),
    ],
    [
      "checkpoint.diff",
      defineMethod({
        params: z.object({ which, directory: directory.optional(), file: z.string().optional() }),
        access: "read",
        run: async ({ which: name, directory: path, file }) => {
          const found = await here(path);
          const diff = await checkpoints.diff({
            which: name,
            ...(found === undefined ? {} : { directory: found }),
            ...(file === undefined ? {} : { file }),
          });
          return fitting({ ...diff, changes: withTexts(diff.changes) });
        },
      }),
    ],
    [
      "checkpoint.restore",
      defineMethod({
        params: z.object({
          which,
          directory: directory.optional(),
          file: z.string().optional(),
          force: z.boolean().default(false),
          session_id: session_id.optional(),
        }),
        access: "write",
        run: async ({ which: name, directory: path, file, force, session_id: session }) => {
          const found = await here(path);
          const report = await checkpoints.restore({
            which: name,
            force,
            ...(found === undefined ? {} : { directory: found }),
            ...(file === undefined ? {} : { file }),
            ...(session === undefined ? {} : { session }),
          });
          return fitting({ ...report });
        },
      }),
    ],
  ]);
}
