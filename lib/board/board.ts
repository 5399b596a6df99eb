import { AppError } from "../base/errors.js";
import type { BoardSlug } from "../base/units.js";
import type { BoardApi } from "../contracts/board/api.js";
import { setPaused } from "./boards/boards.js";
import { banner, listBoard } from "./boards/listing.js";
import { type Core, createCore, readTask } from "./core/core.js";
import type { BoardDeps } from "./core/deps.js";
import { gated } from "./core/gate.js";
import { failureLimit } from "./core/judge.js";
import type { BoardKernel } from "./core/kernel.js";
import { readBoardSettings, writtenBoards } from "./core/known.js";
import { resolveBoard } from "./core/resolve-board.js";
import { createWaker, type Waker } from "./core/wake.js";
import { explaining } from "./explanations.js";
import { gcVerbs } from "./gc/gc.js";
import { type NotifyKernel, notifyKernel } from "./notify/ledger.js";
import { type AutoKernel, autoKernel } from "./orchestrate/auto-kernel.js";
import { createFlights } from "./orchestrate/flights.js";
import { orchestration } from "./orchestrate/verbs.js";
import { context } from "./queries/context.js";
import { events, eventsAfter, lastEvent } from "./queries/events.js";
import { list, listText } from "./queries/list.js";
import { followLog, log } from "./queries/log.js";
import { findTaskId, readTaskView, recentRuns, runs } from "./queries/read.js";
import { screening } from "./queries/screening.js";
import { stats } from "./queries/stats.js";
import { promote, reopen, unarchive } from "./tasks/again.js";
import { bind, claim, heartbeat } from "./tasks/claim.js";
import { create } from "./tasks/create.js";
import { completeTask } from "./tasks/finish.js";
import { onceForLine } from "./tasks/line-again.js";
import { claimOutside, writeClaimFile } from "./tasks/outside.js";
import { recordVerbs } from "./tasks/records.js";
import { assign, commentOnTask, link, unlink } from "./tasks/relate.js";
import { archive, reclaim } from "./tasks/release.js";
import { reportFailure, skillsMissing } from "./tasks/report.js";
import { foreseeSettle, settleRun, stopAndSettle } from "./tasks/settle.js";
import { workerVerbs } from "./tasks/spend.js";
import { notifyVerbs } from "./tasks/subscribe.js";
import {
  assignDefault,
  candidateOf,
  candidatesOf,
  due,
  guarded,
  nextDeadlineOf,
  openRunsOf,
  prolong,
  promoteAll,
  readyCountOf,
  soonReady,
  startableOf,
} from "./tasks/upkeep.js";
import { block, scheduleTask, unblock } from "./tasks/wait.js";
import { GATED, wholeBoards } from "./verbs.js";
import { prepareWorkspace } from "./workspaces/prepare.js";
import { createWorkspaceApi } from "./workspaces/workspaces.js";

/** The board of one ROOT: the verbs for every surface, and what the dispatcher needs beside them. */
export type Board = BoardApi & BoardKernel & NotifyKernel & AutoKernel;

export function createBoard(deps: BoardDeps): Board {
  const waker = createWaker();
  const core = createCore(deps, waker.watch);
  const planning = { core, flights: createFlights() };
  const own = {
    ...verbs(core),
    ...workerVerbs(core),
    ...reads(core),
    ...explaining(core),
    ...screening(core),
    ...kernel(core, waker),
    ...notifyKernel(core, waker.onCommit),
    ...orchestration(planning),
    ...autoKernel(planning, waker),
  };
  return { ...gated(core.gate, onceForLine(core, own), GATED), ...wholeBoards(core) };
}

function verbs(core: Core) {
  return {
    create: (board, params, by) => create(core, board, params, by),
    assign: (board, id, assignee, by) => assign(core, { board, id }, assignee, by),
    link: (board, parent, child, by) => link(core, board, { parent, child }, by),
    unlink: (board, parent, child, by) => unlink(core, board, { parent, child }, by),
    comment: (board, id, text, by) => commentOnTask(core, { board, id }, text, by),
    heartbeat: (board, id, text, by) => heartbeat(core, { board, id }, text, by),
    complete: (board, id, params, by) => completeTask(core, { board, id }, params, by),
    block: (board, id, params, by) => block(core, { board, id }, params, by),
    schedule: (board, id, params, by) => scheduleTask(core, { board, id }, params, by),
    unblock: (board, id, params, by) => unblock(core, { board, id }, params, by),
    promote: (board, id, params, by) => promote(core, { board, id }, params, by),
    reclaim: (board, id, reason, by) => reclaim(core, { board, id }, reason, by),
    reopen: (board, id, params, by) => reopen(core, { board, id }, params, by),
    archive: (board, id, by) => archive(core, { board, id }, by),
    unarchive: (board, id, params, by) => unarchive(core, { board, id }, params, by),
    reportFailure: (board, claimed, report) => reportFailure(core, board, claimed, report),
    claimOutside: (board, id, options, by) => claimOutside(core, { board, id }, options, by),
    ...notifyVerbs(core),
    ...recordVerbs(core),
    ...createWorkspaceApi(core),
    ...gcVerbs(core),
    init: async (board) => {
      await core.making(board);
      return { ...(await listBoard(core, board)), profiles: core.profiles.names() };
    },
    pause: async (board, params, by) => {
      await setPaused(core, board, { reason: params.reason ?? null }, by);
      if (params.now === true) await stopAll(core, board);
      return listBoard(core, board);
    },
    resume: (board, by) => setPaused(core, board, undefined, by),
    dispatch: (options) => {
      if (core.pass === undefined) return Promise.reject(new AppError("E_OWNER", "this process does not dispatch"));
      return core.pass(options);
    },
  } satisfies Partial<BoardApi>;
}

function reads(core: Core) {
  return {
    resolve: (request) => resolveBoard(core, request),
    find: (board, given) => findTaskId(core, board, given),
    list: (board, filter) => list(core, board, filter),
    listText: (board, filter) => listText(core, board, filter),
    task: (board, id) => readTask(core, board, id),
    show: (board, id, filter) => readTaskView(core, board, id, filter),
    runs: (board, id, filter) => runs(core, board, id, filter),
    recentRuns: (board, since) => recentRuns(core, board, since),
    context: (board, id) => context(core, board, id),
    log: (board, id, part) => log(core, board, id, part),
    followLog: (board, id, part, signal) => followLog(core, { board, id }, part, signal),
    stats: (board) => stats(core, board),
    events: (board, after, signal) => events(core, board, after, signal),
    eventsAfter: (board, after, limit) => eventsAfter(core, board, after, limit),
    lastEvent: (board) => lastEvent(core, board),
    banner: (board) => banner(core, board),
    board: (board) => listBoard(core, board),
  } satisfies Partial<BoardApi>;
}

function kernel(core: Core, waker: Waker): BoardKernel {
  return {
    slugs: () => writtenBoards(core),
    places: core.places,
    settings: async (board) => {
      const row = await readBoardSettings(core, board);
      const { max_in_progress, orchestration } = row;
      return { paused: row.paused_at !== null || core.leaving.has(board), max_in_progress, orchestration };
    },
    candidates: (board, limit) => candidatesOf(core, board, limit),
    candidate: (board, id) => candidateOf(core, board, id),
    readyCount: (board) => readyCountOf(core, board),
    startable: (board, assignees, limit) => startableOf(core, board, assignees, limit),
    claim: (board, id, options) => claim(core, board, id, options),
    leaseSeconds: core.leaseSeconds,
    writeClaimFile: (board, claimed) => writeClaimFile(core, board, claimed),
    prepareWorkspace: (board, claimed) => prepareWorkspace(core, board, claimed),
    bind: (board, claimed, worker) => bind(core, board, claimed, worker),
    assignDefault: (board, id, assignee) => assignDefault(core, board, id, assignee),
    guarded: (board, id, reason, until) => guarded(core, { board, id }, reason, until),
    skillsMissing: (board, claimed, skills) => skillsMissing(core, board, claimed, skills),
    openRuns: (board) => openRunsOf(core, board),
    adopt: (board, run) => prolong(core, board, run, "adopted"),
    extendLease: (board, run) => prolong(core, board, run, "worker_alive"),
    settle: (end) => settleRun(core, end),
    foreseeSettle: (end) => foreseeSettle(core, end),
    stopAndSettle: (end) => stopAndSettle(core, end),
    due: (board) => due(core, board),
    soonReady: (board) => soonReady(core, board),
    promoteAll: (board) => promoteAll(core, board),
    nextDeadline: (board) => nextDeadlineOf(core, board),
    failureLimit: (of, flag) => failureLimit(core.config, of, flag),
    onWake: waker.onWake,
  };
}

/** `boards pause --now`: every worker of the board is stopped; one that cannot be is left and told by its event. */
async function stopAll(core: Core, board: BoardSlug): Promise<void> {
  for (const run of await openRunsOf(core, board)) {
    await stopAndSettle(core, { board, task: run.task_id, run: run.id, observed: { how: "board_paused" } });
  }
}
