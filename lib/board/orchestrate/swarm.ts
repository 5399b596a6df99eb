import type { Query, Tx } from "../../../storage/store.js";
import { commentsOf } from "../../../storage/tables/board/comments.js";
import { closedRun, setRunTexts } from "../../../storage/tables/board/runs.js";
import { byKey } from "../../../storage/tables/board/tasks.js";
import { AppError } from "../../base/errors.js";
import { type BoardSlug, type TaskId, toUnix } from "../../base/units.js";
import type { Actor } from "../../contracts/board/board.js";
import type { ChatOrigin } from "../../contracts/board/notify.js";
import type { Swarm, SwarmParams } from "../../contracts/board/orchestration.js";
import { type Core, FREE, mustTask, type Stamp, toStamp } from "../core/core.js";
import { changeStatus } from "../core/states.js";
import { storeComment } from "../tasks/block-schedule.js";
import { checkNewTask, type TaskDraft } from "../tasks/draft.js";
import { subscribeMaker } from "../tasks/subscribe.js";
import { drawIds, insertLinkedTask, isAnyIdTaken } from "./bear.js";
import { topologyIn, topologyNote } from "./blackboard.js";
import { excerptTitle } from "./fit.js";
import { rootBody, synthesizerBody, verifierBody, workerBody } from "./swarm-texts.js";

const DRAWS = 5;
/** Skills that the two last tasks of a swarm get where their profile has them (board part, 9.7). */
const VERIFIER_SKILL = "requesting-code-review";
const SYNTHESIZER_SKILL = "humanizer";
/** The verifier waits for every worker, and a task has at most 100 parents. */
const MAX_WORKERS = 99;

/** The tasks of a swarm, checked. The bodies follow, because they name the root. */
interface Cast {
  readonly goal: string;
  readonly root: TaskDraft;
  readonly workers: readonly TaskDraft[];
  readonly verifier: TaskDraft;
  readonly synthesizer: TaskDraft;
}

/** Make a swarm in one transaction, or find the one with this key. */
export async function swarm(
  core: Core,
  board: BoardSlug,
  params: SwarmParams,
  by: Actor,
): Promise<{ swarm: Swarm; warnings: readonly string[] }> {
  if (by.kind === "worker")
    throw new AppError("E_NOT_OWNER", "a worker may not create a swarm", { task: by.claim.task });
  const cast = await castOf(core, board, params, by);
  const warnings = [...new Set([...cast.workers, cast.verifier, cast.synthesizer].flatMap((draft) => draft.warnings))];
  const store = await core.making(board);
  const stamp = { ...toStamp(core, by), name: cast.root.columns.created_by };
  for (let draw = 0; draw < DRAWS; draw++) {
    const ids = drawIds(core, cast.workers.length + 3);
    const made = await store.write("board.swarm", async (tx) => {
      const earlier = cast.root.key === null ? undefined : await byKey(tx, cast.root.key);
      if (earlier === undefined && (await isAnyIdTaken(tx, ids))) return undefined;
      const one = earlier === undefined ? await make(tx, cast, ids, stamp) : await earlierSwarm(tx, earlier);
      if (params.origin !== undefined) await subscribe(tx, one, params.origin, stamp);
      return one;
    });
    if (made !== undefined) return { swarm: made, warnings };
  }
  throw new AppError("E_CONFLICT", "no free task id; repeat the command");
}

/** After the root is done: that it is done is not news then. */
async function subscribe(tx: Tx, { root_id, synthesizer_id }: Swarm, origin: ChatOrigin, stamp: Stamp): Promise<void> {
  for (const id of [root_id, synthesizer_id]) await subscribeMaker(tx, id, origin, stamp.at);
}

async function castOf(core: Core, board: BoardSlug, params: SwarmParams, by: Actor): Promise<Cast> {
  const goal = params.goal.trim();
  if (goal === "") throw new AppError("E_INVALID", "missing goal");
  const { workers } = params;
  if (workers.length === 0) throw new AppError("E_INVALID", "a swarm needs at least one worker");
  if (workers.length > MAX_WORKERS)
    throw new AppError("E_TOO_LARGE", `a swarm may have at most ${MAX_WORKERS} workers, not ${workers.length}`);
  const { tenant, priority, created_by } = params;
  const draft = (title: string, assignee?: string, skills: readonly string[] = []) =>
    checkNewTask(
      core,
      board,
      { title, assignee: assignee === undefined ? undefined : named(assignee), skills, tenant, priority, created_by },
      by,
    );
  const key = params.idempotency_key;
  const short = excerptTitle(goal, 80);
  return {
    goal,
    root: await checkNewTask(
      core,
      board,
      { title: `Swarm: ${short}`, tenant, priority, created_by, idempotency_key: key },
      by,
    ),
    workers: await Promise.all(workers.map((worker) => draft(worker.title, worker.profile, worker.skills))),
    verifier: await draft(`Verify: ${short}`, params.verifier, await skillOf(core, params.verifier, VERIFIER_SKILL)),
    synthesizer: await draft(
      `Synthesize: ${short}`,
      params.synthesizer,
      await skillOf(core, params.synthesizer, SYNTHESIZER_SKILL),
    ),
  };
}

/** A swarm's tasks all have an assignee. */
function named(assignee: string): string {
  if (/^\s*(none|-|null)?\s*$/i.test(assignee))
    throw new AppError("E_INVALID", "every task of a swarm needs a profile");
  return assignee;
}

async function skillOf(core: Core, profile: string, skill: string): Promise<readonly string[]> {
  const has = await core.orchestration?.hasSkill(profile.trim().toLowerCase(), skill);
  return has === true ? [skill] : [];
}

async function make(tx: Tx, cast: Cast, ids: readonly TaskId[], stamp: Stamp): Promise<Swarm> {
  const [root_id, ...others] = ids;
  const worker_ids = others.slice(0, -2);
  const [verifier_id, synthesizer_id] = others.slice(-2);
  if (root_id === undefined || verifier_id === undefined || synthesizer_id === undefined)
    throw new Error("ids were drawn for every task");
  const made: Swarm = { root_id, worker_ids, verifier_id, synthesizer_id, created: true };
  const { goal, verifier, synthesizer } = cast;
  await makeRoot(tx, cast, made, stamp);
  for (const [place, { columns }] of cast.workers.entries()) {
    const id = worker_ids[place];
    if (id === undefined) throw new Error("ids were drawn for every task");
    await insertLinkedTask(
      tx,
      { id, columns, body: workerBody(goal, root_id, columns.title), parents: [root_id] },
      stamp,
    );
  }
  await insertLinkedTask(
    tx,
    { id: verifier_id, columns: verifier.columns, body: verifierBody(goal, made), parents: worker_ids },
    stamp,
  );
  const last = { id: synthesizer_id, columns: synthesizer.columns, parents: [verifier_id] };
  await insertLinkedTask(tx, { ...last, body: synthesizerBody(goal, made) }, stamp);
  return made;
}

/** The root is there to be read and written on; it is done from the beginning. */
async function makeRoot(tx: Tx, cast: Cast, made: Swarm, stamp: Stamp): Promise<void> {
  const id = made.root_id;
  await insertLinkedTask(tx, { id, columns: cast.root.columns, body: rootBody(cast.goal), parents: [] }, stamp);
  const at = toUnix(stamp.at);
  const summary = `swarm of ${made.worker_ids.length} with verifier ${made.verifier_id} and synthesizer ${made.synthesizer_id}`;
  const run = await closedRun(tx, id, stamp.name, { outcome: "completed", at, verdict: "accepted" });
  await setRunTexts(tx, run, { summary });
  await storeComment(tx, id, topologyNote(made), { ...stamp, actor: "system" });
  await changeStatus(tx, await mustTask(tx, id), "complete", {
    ...stamp,
    run,
    patch: { ...FREE, completed_at: at, verdict: "accepted" },
    payload: { result_len: 0, summary, verdict: "accepted" },
  });
}

/** The ids stand in the first comment of the root, which was written with it. @throws E_CONFLICT the key belongs to another kind of task */
async function earlierSwarm(q: Query, root: TaskId): Promise<Swarm> {
  const [first] = await commentsOf(q, root);
  const topology = first?.author_kind === "system" ? topologyIn(first.text) : undefined;
  if (topology === undefined)
    throw new AppError("E_CONFLICT", `idempotency key already used by ${root}, which is not a swarm`, { task: root });
  return { root_id: root, ...topology, created: false };
}
