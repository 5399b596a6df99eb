import { attachmentsOf, commentsOf } from "../../../storage/tables/board/comments.js";
import { type EventRow, eventsOfLine } from "../../../storage/tables/board/events.js";
import { childrenOf } from "../../../storage/tables/board/links.js";
import { AppError } from "../../base/errors.js";
import { faultPoint } from "../../base/fault.js";
import { LIMITS } from "../../base/limits.js";
import type { BoardSlug, RunId, TaskId } from "../../base/units.js";
import type { BoardApi, FinishedTask } from "../../contracts/board/api.js";
import type { Actor } from "../../contracts/board/board.js";
import { type Core, mustView } from "../core/core.js";
import { toAttachment } from "./attach.js";

/** Verbs that a command line may ask for again: the event of the first time tells what it did. */
type Repeated =
  | "create"
  | "assign"
  | "link"
  | "unlink"
  | "comment"
  | "complete"
  | "block"
  | "schedule"
  | "unblock"
  | "promote"
  | "reclaim"
  | "reopen"
  | "archive"
  | "unarchive"
  | "edit"
  | "attach";

interface Question {
  readonly board: BoardSlug;
  readonly by: Actor;
  /** Kind of the event that the verb leaves. */
  readonly kind: string;
  /** Absent: the line makes the task. */
  readonly id?: TaskId;
}

/**
 * The verbs, each done once for a command line that is run again because its owner ended before it answered: what an event with the key of the
 * line shows to be done is answered from the board, the rest is done now.
 */
export function onceForLine(
  core: Core,
  tasks: Pick<BoardApi, Exclude<Repeated, "edit" | "attach">>,
  records: Pick<BoardApi, "edit" | "attach">,
): Pick<BoardApi, Repeated> {
  const { once, view } = repeating(core);
  const finished = (board: BoardSlug, id: TaskId) => async (event: EventRow) => ({
    task: await view(board, id),
    run_id: event.run_id as RunId | null, // stored as the id of a run
  });
  const ended = (
    kind: string,
    verb: () => Promise<FinishedTask>,
    at: { readonly board: BoardSlug; readonly id: TaskId; readonly by: Actor },
  ) => once({ ...at, kind }, finished(at.board, at.id), verb);
  const changed = (board: BoardSlug, id: TaskId) => async () => ({ task: await view(board, id) });
  const pairs = linking(core, tasks);
  const back = takingBack(core, tasks, records);
  return {
    create: (board, params, by) =>
      once(
        { board, by, kind: "created" },
        async (event) => ({ task: await view(board, event.task_id ?? ""), created: true, warnings: [] }),
        () => tasks.create(board, params, by),
      ),
    complete: (board, id, params, by) =>
      ended("completed", () => tasks.complete(board, id, params, by), { board, id, by }),
    block: (board, id, params, by) =>
      ended(params.until === undefined ? "blocked" : "scheduled", () => tasks.block(board, id, params, by), {
        board,
        id,
        by,
      }),
    schedule: (board, id, params, by) =>
      ended("scheduled", () => tasks.schedule(board, id, params, by), { board, id, by }),
    unblock: (board, id, params, by) =>
      once({ board, id, by, kind: "unblocked" }, changed(board, id), () => tasks.unblock(board, id, params, by)),
    reclaim: (board, id, reason, by) =>
      once({ board, id, by, kind: "reclaimed" }, changed(board, id), () => tasks.reclaim(board, id, reason, by)),
    promote: (board, id, params, by) =>
      once(
        { board, id, by, kind: "promoted_manual" },
        async (event) => ({ task: await view(board, id), promoted: true, forced: payloadOf(event)["forced"] === true }),
        () => tasks.promote(board, id, params, by),
      ),
    assign: (board, id, assignee, by) =>
      once(
        { board, id, by, kind: "assigned" },
        async () => ({ task: await view(board, id), warnings: [] }),
        () => tasks.assign(board, id, assignee, by),
      ),
    comment: (board, id, text, by) =>
      once(
        { board, id, by, kind: "commented" },
        async (event) => commented(core, board, id, event),
        () => tasks.comment(board, id, text, by),
      ),
    attach: (board, id, files, by) =>
      once(
        { board, id, by, kind: "attached" },
        async (...events) => attached(core, board, id, events),
        () => records.attach(board, id, files, by),
      ),
    link: pairs.link,
    unlink: pairs.unlink,
    reopen: back.reopen,
    archive: back.archive,
    unarchive: back.unarchive,
    edit: back.edit,
  };
}

/** Verbs on a pair of tasks. */
function linking(core: Core, own: Pick<BoardApi, "link" | "unlink">): Pick<BoardApi, "link" | "unlink"> {
  const { once, view } = repeating(core);
  const pair = (kind: "link" | "unlink"): BoardApi["link"] => {
    return (board, parent, child, by) =>
      once(
        { board, id: child, by, kind: `${kind}ed` },
        async () => ({ parent_id: parent, child_id: child, child: await view(board, child), added: kind === "link" }),
        () => own[kind](board, parent, child, by),
      );
  };
  return { link: pair("link"), unlink: pair("unlink") };
}

/** Verbs whose answer names other tasks. */
function takingBack(
  core: Core,
  own: Pick<BoardApi, "reopen" | "archive" | "unarchive">,
  records: Pick<BoardApi, "edit">,
): Pick<BoardApi, "reopen" | "archive" | "unarchive" | "edit"> {
  const { once, view, found } = repeating(core);
  const demoted = async (board: BoardSlug, id: TaskId, by: Actor) =>
    (await found({ board, by, kind: "status" })).map((event) => event.task_id as TaskId).filter((task) => task !== id); // events of tasks name them
  return {
    reopen: (board, id, params, by) =>
      once(
        { board, id, by, kind: "reopened" },
        async () => ({
          task: await view(board, id),
          demoted: await demoted(board, id, by),
          still_done: await doneChildren(core, board, id),
        }),
        () => own.reopen(board, id, params, by),
      ),
    unarchive: (board, id, params, by) =>
      once(
        { board, id, by, kind: "unarchived" },
        async () => ({ task: await view(board, id), demoted: await demoted(board, id, by), warnings: [] }),
        () => own.unarchive(board, id, params, by),
      ),
    archive: (board, id, by) =>
      once(
        { board, id, by, kind: "archived" },
        async (event) => ({
          task: await view(board, id),
          released: Number(payloadOf(event)["released"] ?? 0),
          workspace: undefined,
        }),
        () => own.archive(board, id, by),
      ),
    edit: (board, id, params, by) =>
      once(
        { board, id, by, kind: "edited" },
        async (event) => ({
          task: await view(board, id),
          fields: listed(payloadOf(event)["fields"]).map(String),
          demoted: await demoted(board, id, by),
          warnings: [],
        }),
        () => records.edit(board, id, params, by),
      ),
  };
}

/** Looking for what a line has done, and doing it when it has not. */
function repeating(core: Core) {
  const found = async ({ board, by, kind, id }: Question): Promise<readonly EventRow[]> => {
    const store = by.line?.again === true ? await core.reading(board) : undefined;
    if (store === undefined || by.line === undefined) return [];
    const of = { kind, line: by.line.key, since: core.clock.now() - LIMITS.requestKeyMs };
    return (await store.read((q) => eventsOfLine(q, of))).filter((event) => id === undefined || event.task_id === id);
  };
  return {
    found,
    view: async (board: BoardSlug, id: string) => {
      const store = await core.store(board, id);
      return store.read((q) => mustView(q, id));
    },
    once: async <R>(
      of: Question,
      replay: (first: EventRow, ...more: EventRow[]) => Promise<R>,
      run: () => Promise<R>,
    ): Promise<R> => {
      const [first, ...more] = await found(of);
      if (first !== undefined) return replay(first, ...more);
      const result = await run();
      if (of.by.line !== undefined) faultPoint("board.asked", of.kind);
      return result;
    },
  };
}

const payloadOf = ({ payload }: EventRow): Readonly<Record<string, unknown>> => JSON.parse(payload); // written as a JSON object
const listed = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

async function commented(core: Core, board: BoardSlug, id: TaskId, event: EventRow): ReturnType<BoardApi["comment"]> {
  const store = await core.store(board, id);
  const number = payloadOf(event)["comment_id"];
  return store.read(async (q) => {
    const comment = (await commentsOf(q, id)).find((one) => one.id === number);
    if (comment === undefined) throw new AppError("E_NOT_FOUND", `the comment on ${id} has been removed`);
    return { task: await mustView(q, id), comment };
  });
}

async function attached(
  core: Core,
  board: BoardSlug,
  id: TaskId,
  events: readonly EventRow[],
): ReturnType<BoardApi["attach"]> {
  const store = await core.store(board, id);
  const numbers = new Set(events.map((event) => payloadOf(event)["id"]));
  return store.read(async (q) => {
    const rows = (await attachmentsOf(q, id)).filter((row) => numbers.has(row.id));
    return { task: await mustView(q, id), attachments: rows.map(toAttachment) };
  });
}

async function doneChildren(core: Core, board: BoardSlug, id: TaskId): Promise<readonly TaskId[]> {
  const store = await core.store(board, id);
  return store.read(async (q) =>
    (await childrenOf(q, id)).filter((child) => child.status === "done").map((child) => child.id),
  );
}
