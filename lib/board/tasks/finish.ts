import type { Tx } from "../../../storage/store.js";
import { heedParents } from "../../../storage/tables/board/links.js";
import type { RunRow, TaskRow } from "../../../storage/tables/board/rows.js";
import { closedRun, closeRun, setRunTexts } from "../../../storage/tables/board/runs.js";
import { existing, setTexts } from "../../../storage/tables/board/tasks.js";
import { AppError } from "../../base/errors.js";
import { type BoardSlug, type RunId, type TaskId, toUnix } from "../../base/units.js";
import type { CompleteParams, FinishedTask } from "../../contracts/board/api.js";
import type { Actor, Verdict } from "../../contracts/board/board.js";
import { appendTaskEvent, type Core, FREE, mustView, removeClaimFile, type Stamp, toStamp } from "../core/core.js";
import { requireClaim } from "../core/fence.js";
import { changeStatus } from "../core/states.js";
import { checkTexts } from "../core/texts.js";
import { checkActor, checkVerb } from "../core/verbs.js";
import { recordArtifacts, stageArtifacts } from "./artifacts.js";
import { dropStored, isUnknown, type SkippedFile, type StoredFile } from "./attachment-files.js";
import { checkCards } from "./cards.js";
import { intervene } from "./interventions.js";
import { promoteWaitingChildren } from "./promotion.js";

/** Handoff of a run, ready to be written: redacted for a worker, within its bounds. */
export interface RunHandoff {
  readonly summary: string | undefined;
  readonly result: string | undefined;
  readonly metadata: string | undefined;
  readonly verdict: Verdict;
  readonly params: CompleteParams;
  readonly artifacts: readonly (StoredFile | SkippedFile)[];
}

interface At {
  readonly board: BoardSlug;
  readonly id: TaskId;
}

/** Make a task done (board part, 4.6). A worker's claim is compared in the same transaction; for any other caller a live worker is stopped first. */
export async function completeTask(core: Core, at: At, params: CompleteParams, by: Actor): Promise<FinishedTask> {
  checkActor("complete", at.id, by);
  const texts = checkHandoff(core, params, by);
  const artifacts = params.artifacts === undefined ? [] : await stageArtifacts(core, at, params.artifacts);
  const handoff = { ...texts, artifacts };
  try {
    const ended = by.kind === "worker" ? await byWorker(core, at, handoff, by) : await byOther(core, at, handoff, by);
    if ("phantoms" in ended) throw phantomCards(at.id, ended.phantoms);
    await removeClaimFile(core, at.board, at.id, ended.run_id);
    return ended;
  } catch (error) {
    if (!isUnknown(error)) await dropStored(artifacts);
    throw error;
  }
}

type Ended = FinishedTask | { readonly phantoms: readonly string[] };

async function byWorker(
  core: Core,
  at: At,
  handoff: RunHandoff,
  by: Extract<Actor, { kind: "worker" }>,
): Promise<Ended> {
  const stamp = toStamp(core, by);
  const store = await core.store(at.board, at.id);
  return store.write("board.complete", async (tx): Promise<Ended> => {
    const { task, run } = await requireClaim(tx, core, by.claim);
    // A worker does not choose its name: it is the profile that its run was claimed for.
    return endTask(tx, { task, run, handoff, stamp: { ...stamp, name: run.profile }, trigger: "worker complete" });
  });
}

async function byOther(core: Core, at: At, handoff: RunHandoff, by: Actor): Promise<Ended> {
  const stamp = toStamp(core, by);
  return intervene<Ended>(core, {
    ...at,
    verb: "complete",
    stamp,
    commit: async (tx, { task, run }) => {
      checkVerb("complete", task);
      return endTask(tx, { task, run, handoff, stamp, trigger: "complete" });
    },
  });
}

export interface TaskEnding {
  readonly task: TaskRow;
  readonly run: RunRow | undefined;
  readonly handoff: RunHandoff;
  readonly stamp: Stamp;
  readonly trigger: "complete" | "worker complete";
}

/** The task is done, its run closed with the handoff, its children free. */
export async function endTask(tx: Tx, ending: TaskEnding): Promise<Ended> {
  const { task, handoff, stamp } = ending;
  const cards = await checkCards(
    tx,
    { task, run: ending.run, summary: handoff.summary, stamp },
    handoff.params.created_cards,
  );
  if (cards.phantoms.length > 0) return { phantoms: cards.phantoms };
  const run = await closeAsCompleted(tx, ending);
  await setRunTexts(tx, run, {
    ...(handoff.summary === undefined ? {} : { summary: handoff.summary }),
    ...(handoff.metadata === undefined ? {} : { metadata: handoff.metadata }),
  });
  await setTexts(tx, task.id, {
    block_reason: null,
    ...(handoff.result === undefined ? {} : { result: handoff.result }),
  });
  const attachments = await recordArtifacts(tx, { task: task.id, run }, handoff.artifacts, stamp);
  await changeStatus(tx, task, ending.trigger, {
    ...stamp,
    run,
    patch: { ...FREE, completed_at: toUnix(stamp.at), verdict: handoff.verdict, current_run_id: null },
    payload: {
      result_len: handoff.result?.length ?? 0,
      summary: handoff.summary?.slice(0, 4096) ?? null,
      verdict: handoff.verdict,
      ...(cards.verified.length > 0 ? { verified_cards: cards.verified } : {}),
      ...(attachments.length > 0 ? { artifacts: attachments } : {}),
    },
  });
  await heedParents(tx, task.id);
  await suspectRefs(tx, { task: task.id, run }, handoff, stamp);
  if (handoff.verdict === "accepted") await promoteWaitingChildren(tx, task.id, stamp);
  return { task: await mustView(tx, task.id), run_id: run };
}

async function closeAsCompleted(tx: Tx, ending: TaskEnding): Promise<RunId> {
  const { task, run, handoff, stamp } = ending;
  const close = {
    outcome: "completed",
    at: toUnix(stamp.at),
    verdict: handoff.verdict,
    session: handoff.params.session_id ?? null,
    usage: handoff.params.usage ?? null,
  } as const;
  if (run === undefined) return closedRun(tx, task.id, task.assignee ?? stamp.name, close);
  await closeRun(tx, run.id, close);
  return run.id;
}

/** Unknown task ids in the handoff are reported, not refused. */
async function suspectRefs(
  tx: Tx,
  { task, run }: { task: TaskId; run: RunId },
  handoff: RunHandoff,
  stamp: Stamp,
): Promise<void> {
  const named = new Set(`${handoff.summary ?? ""} ${handoff.result ?? ""}`.match(/\bt_[a-f0-9]{8}\b/g) ?? []);
  if (named.size === 0) return;
  const known = await existing(tx, [...named].slice(0, 100));
  const ids = [...named].slice(0, 100).filter((id) => !known.has(id));
  if (ids.length > 0)
    appendTaskEvent(tx, stamp, { kind: "phantom_refs_suspected", task, run }, { ids, source: "completion_summary" });
}

/** Texts of a completion, checked. @throws E_INVALID, E_TOO_LARGE */
export function checkHandoff(core: Core, params: CompleteParams, by: Actor): Omit<RunHandoff, "artifacts"> {
  const clean = by.kind === "worker" ? core.redact : (text: string) => text;
  const result = params.result === undefined ? undefined : clean(params.result);
  const summary = params.summary === undefined ? result : clean(params.summary);
  const metadata = params.metadata === undefined ? undefined : cleanJson(params.metadata, clean);
  if (by.kind === "worker" && !summary?.trim()) throw new AppError("E_INVALID", "missing summary or result");
  checkTexts({ summary, result, metadata });
  return { summary, result, metadata, verdict: params.verdict ?? "accepted", params };
}

/** JSON without secrets. Where redacting the text of it broke its form, each of its texts is redacted by itself. */
function cleanJson(value: Readonly<Record<string, unknown>>, clean: (text: string) => string): string {
  const text = clean(JSON.stringify(value));
  try {
    JSON.parse(text);
    return text;
  } catch {
    return JSON.stringify(value, (_key, inner: unknown) => (typeof inner === "string" ? clean(inner) : inner));
  }
}

function phantomCards(id: TaskId, phantoms: readonly string[]): AppError {
  return new AppError(
    "E_PHANTOM_CARDS",
    `cannot complete ${id}: created_cards names tasks that this task did not create: ${phantoms.join(", ")}; repeat the call without them`,
    { ids: phantoms },
  );
}
