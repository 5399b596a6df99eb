import * as z from "zod";
import { defineMethod, type Methods } from "../../backplane/methods.js";
import { toAppError } from "../../base/errors.js";
import type { BoardSlug, TaskId } from "../../base/units.js";
import { parseTime } from "../../commands/render/times.js";
import type { BoardApi } from "../../contracts/board/api.js";
import { type Actor, STATUSES } from "../../contracts/board/board.js";
import type { WriteOptions, WriteParams } from "../../contracts/board/records.js";

const board = z.string().min(1).max(64).optional();
const id = z
  .string()
  .min(1)
  .transform((text) => text as TaskId); // proved by the look-up that follows
const place = z.object({ priority: z.int(), created_at: z.int(), ended_at: z.int(), made: z.int() });
const MOST_IDS = 2_000;
const MOST_CHANGED = 10_000;

const PERSON: Actor = { kind: "human", name: "user" };

type Find = (slug: string | undefined, env?: Readonly<Record<string, string>>) => Promise<BoardSlug>;

/** What screens ask of boards beside the commands: short cards, legal moves, and changes that notice those of others. */
export function boardMethods(api: BoardApi, now: () => number): Methods {
  const find: Find = async (slug, env = {}) => (await api.resolve({ flag: slug, env, writes: false })).board;
  return new Map([
    ["board.cards", cards(api, find)],
    [
      "board.moves",
      defineMethod({
        params: z.object({ board, id }),
        access: "read",
        run: async ({ board: slug, id: task }) => api.moves(await find(slug), task),
      }),
    ],
    [
      "board.task",
      defineMethod({
        params: z.object({ board, id }),
        access: "read",
        run: async ({ board: slug, id: task }) => api.task(await find(slug), task),
      }),
    ],
    [
      "board.severities",
      defineMethod({
        params: z.object({ board, ids: z.array(id).max(100).optional() }),
        access: "read",
        run: async ({ board: slug, ids }) => severities(api, await find(slug), ids),
      }),
    ],
    ["board.write", writing(api, now)],
    ["board.bulk", bulk(api, now)],
  ]);
}

function cards(api: BoardApi, find: Find) {
  const params = z.object({
    board,
    env: z.record(z.string(), z.string()).default({}),
    ids: z.array(z.string()).max(MOST_IDS).optional(),
    status: z.enum(STATUSES).optional(),
    after: place.optional(),
    limit: z.int().min(1).max(MOST_IDS).optional(),
  });
  return defineMethod({
    params,
    access: "read",
    run: async ({ board: slug, env, ...question }) => api.cards(await find(slug, env), question),
  });
}

/** The worst that each task has: of the tasks named, or of all. Who has nothing is left out. */
async function severities(api: BoardApi, slug: BoardSlug, ids: readonly TaskId[] | undefined) {
  const of = async (task: TaskId) => api.diagnostics(slug, { task }).catch(() => []); // a removed one does not have any
  const rows = ids === undefined ? await api.diagnostics(slug) : (await Promise.all(ids.map(of))).flat();
  return rows.flatMap(({ task_id, diagnostics }) => (task_id === null ? [] : [[task_id, diagnostics[0]?.severity]]));
}

const change = z.object({
  title: z.string().optional(),
  body: z.string().optional(),
  priority: z.int().optional(),
  assignee: z.string().nullable().optional(),
  status: z.string().optional(),
  summary: z.string().optional(),
  block_reason: z.string().optional(),
  /** When it goes on, as people write it. */
  at: z.string().optional(),
  /** Zone of its author. */
  zone: z.string().optional(),
  force: z.boolean().optional(),
  /** The status that the caller has seen. */
  expected_status: z.enum(STATUSES).optional(),
});

/** A time is given as people write it. @throws E_USAGE */
function toWrite({ at, zone, ...fields }: z.output<typeof change>, now: () => number): WriteParams & WriteOptions {
  return at === undefined
    ? fields
    : { ...fields, scheduled_at: parseTime(at, Math.floor(now() / 1000), zone) as WriteParams["scheduled_at"] };
}

/** Fields and status at once (board part, 14.5). */
function writing(api: BoardApi, now: () => number) {
  return defineMethod({
    params: change.extend({ board, id, expected_version: z.int().optional() }),
    access: "write",
    run: async ({ board: slug, id: task, expected_version, ...fields }) => {
      const { board: found } = await api.resolve({ flag: slug, env: {}, writes: true });
      return api.write(found, task, { ...toWrite(fields, now), expected_version }, PERSON);
    },
  });
}

/** The same change to several tasks, each by itself. */
function bulk(api: BoardApi, now: () => number) {
  return defineMethod({
    params: change.extend({ board, ids: z.array(id).min(1).max(MOST_CHANGED), reclaim: z.boolean().default(false) }),
    access: "write",
    run: async ({ board: slug, ids, reclaim, ...fields }) => {
      const { board: found } = await api.resolve({ flag: slug, env: {}, writes: true });
      const params = toWrite(fields, now);
      const results: { id: TaskId; ok: boolean; error?: string; code?: string }[] = [];
      for (const task of ids) results.push(await one(api, { board: found, task, params, reclaim }));
      return { results };
    },
  });
}

async function one(
  api: BoardApi,
  { board: slug, task, params, reclaim }: { board: BoardSlug; task: TaskId; params: WriteParams; reclaim: boolean },
): Promise<{ id: TaskId; ok: boolean; error?: string; code?: string }> {
  try {
    if (reclaim && params.assignee !== undefined)
      await api.reassign(slug, task, { assignee: params.assignee, reclaim }, PERSON);
    else await api.write(slug, task, params, PERSON);
    return { id: task, ok: true };
  } catch (thrown) {
    const { code, message } = toAppError(thrown);
    return { id: task, ok: false, error: message, code };
  }
}
