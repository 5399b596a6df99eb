import type { Store, Tx } from "../../../storage/store.js";
import type { TaskExtras, TaskRow } from "../../../storage/tables/board/rows.js";
import { getFull, getTask } from "../../../storage/tables/board/tasks.js";
import { humanComments } from "../../../storage/tables/board/triage.js";
import { withLinkedSignal } from "../../base/async/abort-any.js";
import { AppError, toAppError } from "../../base/errors.js";
import type { BoardSlug, TaskId } from "../../base/units.js";
import type { Actor, Comment } from "../../contracts/board/board.js";
import type { AuxQuestion } from "../../contracts/models/auxiliary.js";
import { type Core, type Stamp, toStamp } from "../core/core.js";
import type { OrchestrationPort } from "../core/port.js";
import { updateTaskColumns } from "../core/states.js";
import { checkActor } from "../core/verbs.js";
import type { Flights } from "./flights.js";

/** A task as it was when the model was asked about it. */
export interface SeenTask {
  readonly task: TaskRow & TaskExtras;
  readonly comments: readonly Comment[];
}

/** What is known when the answer is there and may be applied. */
export interface OrchestrateAnswer {
  readonly board: BoardSlug;
  readonly store: Store;
  readonly seen: SeenTask;
  readonly answer: string;
  readonly port: OrchestrationPort;
  readonly stamp: Stamp;
}

/** One operation on one task. `R` is its outcome. */
export interface OrchestrateOperation<R> {
  readonly verb: "specify" | "decompose";
  readonly slot: AuxQuestion["slot"];
  readonly author: string;
  readonly by: Actor;
  readonly question: (seen: SeenTask, port: OrchestrationPort) => Promise<Omit<AuxQuestion, "slot">>;
  /** Apply the answer in one transaction. */
  readonly apply: (answered: OrchestrateAnswer) => Promise<R>;
  readonly refuse: (reason: string, seen?: SeenTask) => R;
  /** The caller no longer wants an answer. */
  readonly signal?: AbortSignal | undefined;
  /** An automatic attempt: looked at last before the model is asked; false ends it. An attempt by hand starts the count over instead. */
  readonly automatic?: { readonly mayBegin: () => Promise<boolean> };
}

export const REFUSAL_REASONS = {
  unknown: "unknown task id",
  none: "no auxiliary client configured",
  broken: "auxiliary client unavailable",
  empty: "LLM returned an empty response",
  changed: "task changed while the model was working",
  /** An automatic attempt that was called off before it began. */
  off: "automatic decomposition is off",
} as const;

const notInTriage = (status: string): string => `task is not in triage (status='${status}')`;

/** The board with what is under way on it. */
export interface Planning {
  readonly core: Core;
  readonly flights: Flights;
}

/** Which task is meant. */
export interface OrchestratedTask {
  readonly board: BoardSlug;
  readonly id: TaskId;
}

/**
 * Ask a model about a triage task and apply its answer (board part, 9.1). Looked at in order: id, status, client, what is under way. The model is
 * asked outside any transaction. Whatever goes wrong is the outcome of `refuse`.
 *
 * @throws E_NOT_OWNER for a worker; nothing else
 */
export async function operate<R>(
  { core, flights }: Planning,
  at: OrchestratedTask,
  operation: OrchestrateOperation<R>,
): Promise<R> {
  checkActor(operation.verb, at.id, operation.by);
  try {
    return await checked({ core, flights }, at, operation);
  } catch (error) {
    const { code, message } = toAppError(error);
    if (code === "E_INTERNAL") core.log.error(`cannot ${operation.verb} a task`, { task: at.id, error: message });
    return operation.refuse(message);
  }
}

async function checked<R>(
  { core, flights }: Planning,
  at: OrchestratedTask,
  operation: OrchestrateOperation<R>,
): Promise<R> {
  const store = await core.reading(at.board);
  const status = (await store?.read((q) => getTask(q, at.id)))?.status;
  if (store === undefined || status === undefined) return operation.refuse(REFUSAL_REASONS.unknown);
  if (status !== "triage") return operation.refuse(notInTriage(status));
  const port = core.orchestration;
  const client = port === undefined ? "none" : await port.aux.state(operation.slot);
  if (port === undefined || client !== "usable")
    return operation.refuse(client === "broken" ? REFUSAL_REASONS.broken : REFUSAL_REASONS.none);
  const release = flights.take(at.board, at.id);
  if (typeof release === "string") return operation.refuse(release);
  try {
    const signals = operation.signal === undefined ? [flights.signal] : [flights.signal, operation.signal];
    return await withLinkedSignal(signals, (signal) => underWay(core, { store, port, signal }, at, operation));
  } finally {
    release();
  }
}

type Calling = Pick<OrchestrateAnswer, "store" | "port"> & { readonly signal: AbortSignal };

async function underWay<R>(
  core: Core,
  calling: Calling,
  at: OrchestratedTask,
  operation: OrchestrateOperation<R>,
): Promise<R> {
  const { store, port, signal } = calling;
  if (operation.automatic === undefined) await beginAnew(core, store, at.id, operation);
  const seen = await store.read(async (q): Promise<SeenTask | undefined> => {
    const task = await getFull(q, at.id);
    return task === undefined ? undefined : { task, comments: await humanComments(q, at.id, 10) };
  });
  if (seen === undefined) return operation.refuse(REFUSAL_REASONS.unknown);
  if (seen.task.status !== "triage") return operation.refuse(notInTriage(seen.task.status));
  const question = { slot: operation.slot, ...(await operation.question(seen, port)) };
  if (operation.automatic !== undefined && !(await operation.automatic.mayBegin()))
    return operation.refuse(REFUSAL_REASONS.off);
  const answer = await port.aux.ask(question, signal);
  if (signal.aborted) return operation.refuse("LLM error: aborted");
  if (!answer.ok)
    return operation.refuse(answer.why === "failed" ? `LLM error: ${answer.class}` : REFUSAL_REASONS[answer.why], seen);
  if (answer.text.trim() === "") return operation.refuse(REFUSAL_REASONS.empty, seen);
  return operation.apply({
    board: at.board,
    store,
    seen,
    answer: answer.text.trim(),
    port,
    stamp: authored(core, operation),
  });
}

const authored = (core: Core, operation: Pick<OrchestrateOperation<unknown>, "by" | "author">): Stamp => ({
  ...toStamp(core, operation.by),
  name: operation.author,
});

/** An attempt by hand forgets the automatic ones that failed. */
async function beginAnew(
  core: Core,
  store: Store,
  id: TaskId,
  operation: Pick<OrchestrateOperation<unknown>, "by" | "author">,
): Promise<void> {
  const spent = (task: TaskRow | undefined): task is TaskRow =>
    task?.status === "triage" && (task.decompose_attempts > 0 || task.decompose_next_at !== null);
  if (!spent(await store.read((q) => getTask(q, id)))) return;
  const stamp = authored(core, operation);
  await store.write("board.triage-anew", async (tx) => {
    const task = await getTask(tx, id);
    if (spent(task)) await updateTaskColumns(tx, task, stamp.at, { decompose_attempts: 0, decompose_next_at: null });
  });
}

/** Refuses an answer inside its transaction; nothing of it is written. */
export class Refusal extends Error {
  override readonly name = "Refusal";
}

/**
 * The task as it is now, for the transaction that applies an answer.
 *
 * @throws Refusal when it left triage, is gone, or has another text than the model saw
 */
export async function unchanged(tx: Tx, seen: SeenTask, before: string): Promise<TaskRow & TaskExtras> {
  const task = await getFull(tx, seen.task.id);
  if (task === undefined) throw new Refusal(REFUSAL_REASONS.unknown);
  if (task.status !== "triage") throw new Refusal(`task moved out of triage before ${before}`);
  if (task.title !== seen.task.title || task.body !== seen.task.body) throw new Refusal(REFUSAL_REASONS.changed);
  return task;
}

/** Run the transaction of an answer; its refusal is a reason. */
export async function applied<T>(
  write: () => Promise<T>,
): Promise<{ readonly value: T } | { readonly reason: string }> {
  try {
    return { value: await write() };
  } catch (error) {
    if (error instanceof Refusal) return { reason: error.message };
    if (error instanceof AppError) return { reason: error.message };
    throw error;
  }
}
