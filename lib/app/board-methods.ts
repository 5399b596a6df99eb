import * as z from "zod";
import { defineMethod, type Methods } from "../backplane/methods.js";
import type { BoardSlug, TaskId } from "../base/units.js";
import { parseTime } from "../commands/kanban/times.js";
import { type Actor, STATUSES } from "../proto/board.js";
import type { BoardApi } from "../proto/board-api.js";

const board = z.string().min(1).max(64).optional();
const id = z
  .string()
  .min(1)
  .transform((text) => text as TaskId); // proved by the look-up that follows
const place = z.object({ priority: z.int(), created_at: z.int(), ended_at: z.int(), made: z.int() });

const PERSON: Actor = { kind: "human", name: "user" };

/** What screens ask of boards beside the commands: short cards, legal moves, and changes that notice somebody else's. */
export function boardMethods(api: BoardApi, now: () => number): Methods {
  const find = async (slug: string | undefined, env: Readonly<Record<string, string>>, writes: boolean): Promise<BoardSlug> =>
    (await api.resolve({ flag: slug, env, writes })).board;
  return new Map([
    [
      "board.cards",
      defineMethod({
        params: z.object({
          ...{ board, env: z.record(z.string(), z.string()).default({}) },
          ids: z.array(z.string()).max(2_000).optional(),
          status: z.enum(STATUSES).optional(),
          after: place.optional(),
          limit: z.int().min(1).max(2_000).optional(),
        }),
        access: "read",
        run: async ({ board: slug, env, ...question }) => api.cards(await find(slug, env, false), question),
      }),
    ],
    [
      "board.moves",
      defineMethod({
        params: z.object({ board, id }),
        access: "read",
        run: async ({ board: slug, id: task }) => api.moves(await find(slug, {}, false), task),
      }),
    ],
    [
      "board.severities",
      defineMethod({
        params: z.object({ board }),
        access: "read",
        run: async (given) => severities(api, await find(given.board, {}, false)),
      }),
    ],
    ["board.write", writing(api, now)],
  ]);
}

/** The worst that each task of a board has. */
async function severities(api: BoardApi, slug: BoardSlug) {
  const rows = await api.diagnostics(slug);
  return rows.flatMap(({ task_id, diagnostics }) => (task_id === null ? [] : [[task_id, diagnostics[0]?.severity]]));
}

/** Fields and status at once (board part, 14.5). A time is given as people write it. */
function writing(api: BoardApi, now: () => number) {
  const params = z.object({
    ...{ board, id, title: z.string().optional(), body: z.string().optional(), priority: z.int().optional() },
    ...{ assignee: z.string().nullable().optional(), status: z.string().optional(), summary: z.string().optional() },
    ...{ block_reason: z.string().optional(), at: z.string().optional(), zone: z.string().optional() },
    ...{ force: z.boolean().optional(), expected_version: z.int().optional() },
  });
  return defineMethod({
    params,
    access: "write",
    run: async ({ board: slug, id: task, at, zone, ...fields }) => {
      const { board: found } = await api.resolve({ flag: slug, env: {}, writes: true });
      const scheduled_at = at === undefined ? undefined : parseTime(at, Math.floor(now() / 1000), zone);
      return api.write(found, task, { ...fields, scheduled_at }, PERSON);
    },
  });
}
