import * as z from "zod";
import { AppError, toAppError } from "../../../base/errors.js";
import type { BoardSlug } from "../../../base/units.js";
import type { WriteParams } from "../../../contracts/board/records.js";
import { anyObject } from "../../../contracts/wire/shapes/values.js";
import { defineEndpoint } from "../../../http/endpoint.js";
import type { KanbanParts } from "../../core/parts.js";
import { boardQuery, boardToChange, DASHBOARD, fullTaskId } from "../request/asked.js";
import { toWarning } from "./place.js";

/** Most tasks of one request (board part, 21). */
const MOST_IDS = 500;

const flag = z.boolean().nullish();
const text = z.string().nullish();

const body = z.object({
  ids: z.array(z.string()).nullish().describe(`Full ids, 1 to ${MOST_IDS}.`),
  status: text.describe("Neither running nor archived."),
  assignee: text.describe("Empty: unassigned."),
  priority: z.int().nullish(),
  archive: flag,
  delete: flag,
  result: text,
  summary: text,
  metadata: anyObject.nullish(),
  reclaim_first: flag.describe("Stop the worker of a running task first."),
});

const result = z.object({
  id: z.string(),
  ok: z.boolean(),
  error: z.string().exactOptional(),
  code: z.string().exactOptional(),
  warning: z.string().exactOptional(),
});

type Given = z.output<typeof body>;

/** The same change to several tasks, each by itself: what is refused for one is done to the others. */
export const changeTasks = defineEndpoint({
  method: "POST",
  path: "/tasks/bulk",
  summary: "Apply the same change to several tasks, each independently.",
  tag: "tasks",
  query: boardQuery,
  body,
  answer: z.object({
    results: z.array(result),
  }),
  errors: [404, 413],
  run: async ({ query, body: given }, parts: KanbanParts) => {
    const ids = idsOf(given);
    const change = changeOf(given);
    const board = await boardToChange(parts, query);
    const results = [];
    // One after the other, in the order given: a parent that is completed makes its child ready for its own change.
    for (const id of ids) results.push(await one(parts, () => change(parts, board, id), id));
    return { json: { results } };
  },
});

/** @throws E_USAGE, E_TOO_LARGE */
function idsOf({ ids }: Given): readonly string[] {
  if (ids == null || ids.length === 0) throw new AppError("E_USAGE", "missing ids");
  if (ids.length > MOST_IDS) throw new AppError("E_TOO_LARGE", `at most ${MOST_IDS} tasks at once, not ${ids.length}`);
  return [...new Set(ids)];
}

async function one({ log }: KanbanParts, change: () => Promise<Done>, id: string): Promise<z.output<typeof result>> {
  try {
    const { warnings = [], kept = [] } = await change();
    return { id, ok: true, ...toWarning([...warnings, ...kept.map((path) => `kept: ${path}`)]) };
  } catch (thrown) {
    const { code, message } = toAppError(thrown);
    if (code !== "E_INTERNAL") return { id, ok: false, error: message, code };
    log.error("a bulk change failed", { task: id.slice(0, 40), error: message });
    return { id, ok: false, error: "internal error; see the log", code };
  }
}

/** What a change tells beside its task. */
interface Done {
  readonly warnings?: readonly string[];
  /** Directories that a deleted task left. */
  readonly kept?: readonly string[];
}

type Change = (parts: KanbanParts, board: BoardSlug, id: string) => Promise<Done>;

/** @throws E_USAGE without a change, or with two that exclude each other */
function changeOf({
  archive,
  delete: remove,
  status,
  reclaim_first,
  assignee,
  priority,
  result,
  summary,
  metadata,
}: Given): Change {
  const params: WriteParams = Object.fromEntries(
    Object.entries({ status, assignee, priority, result, summary, metadata }).filter(([, value]) => value != null),
  );
  const nothing = Object.keys(params).length === 0;
  if (remove === true) {
    if (!nothing || archive === true) throw new AppError("E_USAGE", "delete cannot be combined with another change");
    return ({ board: api }, board, id) => api.remove(board, fullTaskId(id), { any: true }, DASHBOARD);
  }
  if (archive === true && status != null) throw new AppError("E_USAGE", "archive and status exclude each other");
  if (archive !== true && nothing && reclaim_first !== true)
    throw new AppError("E_USAGE", "nothing to change: pass at least one field");
  if (status === "archived") return refused("status archived cannot be set here: use archive");
  if (status === "running") return refused("status running can only be set by a claim");
  const wanted = archive === true ? { ...params, status: "archived" } : params;
  return reclaim_first === true ? reclaiming(wanted) : written(wanted);
}

const refused = (why: string): Change => {
  return async () => {
    throw new AppError("E_INVALID", why);
  };
};

const written = (params: WriteParams): Change => {
  return ({ board: api }, board, id) => api.write(board, fullTaskId(id), params, DASHBOARD);
};

/** A status stops a worker by itself; without one its task is made ready in the transaction that changes the rest. */
function reclaiming(params: WriteParams): Change {
  if (params.status !== undefined) return written(params);
  return async ({ board: api }, board, given) => {
    const id = fullTaskId(given);
    const { assignee, ...rest } = params;
    const alone = assignee !== undefined && Object.keys(rest).length === 0;
    if (alone) return api.reassign(board, id, { assignee, reclaim: true }, DASHBOARD);
    const { status } = await api.task(board, id);
    if (status === "running")
      return api.write(board, id, { ...params, status: "ready", expected_status: status }, DASHBOARD);
    return Object.keys(params).length === 0 ? {} : api.write(board, id, params, DASHBOARD);
  };
}
