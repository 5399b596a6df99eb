import { AppError } from "../base/errors.js";
import type { BoardSlug } from "../base/units.js";
import type { BoardApi } from "../contracts/board/api.js";
import type { ExplainApi } from "../contracts/board/explain.js";
import type { OrchestrationApi } from "../contracts/board/orchestration.js";
import type { BoardScreenApi } from "../contracts/board/screen.js";
import { setPaused } from "./boards/boards.js";
import { banner, listBoard } from "./boards/listing.js";
import { type Core, createCore, readTask } from "./core/core.js";
import type { BoardDeps } from "./core/deps.js";
import { behindGate } from "./core/gate.js";
import { failureLimit } from "./core/judge.js";
import type { BoardKernel } from "./core/kernel.js";
import { readBoardSettings, writtenBoards } from "./core/known.js";
import { resolveBoard } from "./core/resolve-board.js";
import { createWaker, type Waker } from "./core/wake.js";
import { doctor } from "./doctor/doctor.js";
import { listAssignees } from "./explain/assignees.js";
import { diagnostics } from "./explain/diagnose.js";
import { next } from "./explain/next.js";
import { explainTask } from "./explain/why.js";
import { gcVerbs } from "./gc/gc.js";
import { type NotifyKernel, notifyKernel } from "./notify/ledger.js";
import type { Planning } from "./orchestrate/ask.js";
import { type AutoKernel, autoKernel } from "./orchestrate/auto-kernel.js";
import { decompose } from "./orchestrate/decompose.js";
import { createFlights } from "./orchestrate/flights.js";
import { specify } from "./orchestrate/specify.js";
import { swarm } from "./orchestrate/swarm.js";
import { readCard } from "./queries/card.js";
import { context } from "./queries/context.js";
import { events, eventsAfter, lastEvent } from "./queries/events.js";
import { list, listText } from "./queries/list.js";
import { followLog, log } from "./queries/log.js";
import { findTaskId, readTaskView, recentRuns, runs } from "./queries/read.js";
import { slimCards } from "./queries/slim.js";
import { stats } from "./queries/stats.js";
import { view } from "./queries/view.js";
import { blockTask, scheduleTask, unblock } from "./tasks/block-schedule.js";
import { bind, claim, heartbeat } from "./tasks/claim.js";
import { create } from "./tasks/create.js";
import { completeTask } from "./tasks/finish.js";
import { onceForLine } from "./tasks/line-again.js";
import { assign, commentOnTask, link, unlink } from "./tasks/links-comments.js";
import { moves } from "./tasks/moves.js";
import { claimOutside, writeClaimFile } from "./tasks/outside.js";
import { promote, reopen, unarchive } from "./tasks/promote-reopen.js";
import { recordVerbs } from "./tasks/records.js";
import { archive, reclaim } from "./tasks/release.js";
import { reportFailure, skillsMissing } from "./tasks/report.js";
import { previewSettle, settleRun, stopAndSettle } from "./tasks/settle.js";
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
import { wholeBoards } from "./verbs.js";
import { prepareWorkspace } from "./workspaces/prepare.js";
import { createWorkspaceApi } from "./workspaces/workspaces.js";

/** The board of one ROOT: the verbs for every surface, and what the dispatcher needs beside them. */
export type Board = BoardApi & BoardKernel & NotifyKernel & AutoKernel;

/**
 * Makes the parts, then says for each method of the board which part implements it. `gated`: it waits while its board is moved. `once`: it is
 * done once for a command line that is run again.
 */
export function createBoard(deps: BoardDeps): Board {
  const waker = createWaker();
  const core = createCore(deps, waker.watch);
  const planning = { core, flights: createFlights() };
  const gated = behindGate(core.gate);

  const tasks = verbs(core);
  const records = recordVerbs(core);
  const once = onceForLine(core, tasks, records);
  const notify = notifyVerbs(core);
  const workspaces = createWorkspaceApi(core);
  const cleanup = gcVerbs(core);
  const worker = workerVerbs(core);
  const reading = reads(core);
  const explaining = explains(core);
  const screens = screening(core);
  const planned = orchestration(planning);
  const automatic = autoKernel(planning, waker);
  const kernel = dispatching(core, waker);
  const owed = notifyKernel(core, waker.onCommit);
  const boards = wholeBoards(core);

  return {
    // Tasks
    create: gated(once.create),
    assign: gated(once.assign),
    link: gated(once.link),
    unlink: gated(once.unlink),
    comment: gated(once.comment),
    heartbeat: gated(tasks.heartbeat),
    complete: gated(once.complete),
    block: gated(once.block),
    schedule: gated(once.schedule),
    unblock: gated(once.unblock),
    promote: gated(once.promote),
    reclaim: gated(once.reclaim),
    reopen: gated(once.reopen),
    archive: gated(once.archive),
    unarchive: gated(once.unarchive),
    reportFailure: gated(tasks.reportFailure),
    claimOutside: gated(tasks.claimOutside),
    init: gated(tasks.init),
    pause: gated(tasks.pause),
    resume: gated(tasks.resume),
    dispatch: tasks.dispatch,

    // Records of tasks
    edit: gated(once.edit),
    write: gated(records.write),
    reassign: gated(records.reassign),
    remove: gated(records.remove),
    promoteChildren: gated(records.promoteChildren),
    attach: gated(once.attach),
    attachments: records.attachments,
    attachment: records.attachment,
    detach: gated(records.detach),
    run: records.run,
    endRun: gated(records.endRun),

    // Notifications, workspaces, cleanup
    subscribe: notify.subscribe,
    subscriptions: notify.subscriptions,
    unsubscribe: notify.unsubscribe,
    deliveries: notify.deliveries,
    workspace: workspaces.workspace,
    diff: workspaces.diff,
    gc: gated(cleanup.gc),

    // Workers
    spend: worker.spend,
    workerTools: worker.workerTools,

    // Reading
    resolve: reading.resolve,
    find: gated(reading.find),
    list: gated(reading.list),
    listText: reading.listText,
    task: gated(reading.task),
    show: gated(reading.show),
    runs: gated(reading.runs),
    recentRuns: reading.recentRuns,
    context: gated(reading.context),
    log: gated(reading.log),
    followLog: reading.followLog,
    stats: gated(reading.stats),
    events: reading.events,
    eventsAfter: gated(reading.eventsAfter),
    lastEvent: gated(reading.lastEvent),
    banner: gated(reading.banner),
    board: gated(reading.board),
    why: explaining.why,
    assignees: explaining.assignees,
    card: explaining.card,
    view: explaining.view,
    diagnostics: explaining.diagnostics,
    doctor: explaining.doctor,
    next: explaining.next,
    cards: gated(screens.cards),
    moves: gated(screens.moves),

    // Planning
    specify: planned.specify,
    decompose: planned.decompose,
    swarm: gated(planned.swarm),
    lookAtTriage: automatic.lookAtTriage,
    autoDecompose: automatic.autoDecompose,
    countFailure: automatic.countFailure,
    freeFlights: automatic.freeFlights,
    isPlanned: automatic.isPlanned,
    endPlanning: automatic.endPlanning,
    onTriage: automatic.onTriage,

    // Dispatcher
    slugs: kernel.slugs,
    places: kernel.places,
    settings: gated(kernel.settings),
    candidates: gated(kernel.candidates),
    candidate: kernel.candidate,
    readyCount: kernel.readyCount,
    startable: kernel.startable,
    claim: gated(kernel.claim),
    leaseSeconds: kernel.leaseSeconds,
    writeClaimFile: gated(kernel.writeClaimFile),
    prepareWorkspace: gated(kernel.prepareWorkspace),
    bind: gated(kernel.bind),
    assignDefault: gated(kernel.assignDefault),
    guarded: gated(kernel.guarded),
    skillsMissing: gated(kernel.skillsMissing),
    openRuns: gated(kernel.openRuns),
    adopt: gated(kernel.adopt),
    extendLease: gated(kernel.extendLease),
    settle: kernel.settle,
    previewSettle: kernel.previewSettle,
    stopAndSettle: kernel.stopAndSettle,
    due: gated(kernel.due),
    soonReady: kernel.soonReady,
    promoteAll: gated(kernel.promoteAll),
    nextDeadline: gated(kernel.nextDeadline),
    failureLimit: kernel.failureLimit,
    onWake: kernel.onWake,

    // Deliveries
    onOwed: owed.onOwed,
    owedRoutes: owed.owedRoutes,
    owed: owed.owed,
    oldestOwed: owed.oldestOwed,
    handing: owed.handing,
    handed: owed.handed,
    expire: owed.expire,

    // Whole boards; they hold the gate themselves
    boards: boards.boards,
    createBoard: boards.createBoard,
    switchBoard: boards.switchBoard,
    setBoard: boards.setBoard,
    removeBoard: boards.removeBoard,
    exportBoard: boards.exportBoard,
    importBoard: boards.importBoard,
    restoreBoard: boards.restoreBoard,
  };
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
    block: (board, id, params, by) => blockTask(core, { board, id }, params, by),
    schedule: (board, id, params, by) => scheduleTask(core, { board, id }, params, by),
    unblock: (board, id, params, by) => unblock(core, { board, id }, params, by),
    promote: (board, id, params, by) => promote(core, { board, id }, params, by),
    reclaim: (board, id, reason, by) => reclaim(core, { board, id }, reason, by),
    reopen: (board, id, params, by) => reopen(core, { board, id }, params, by),
    archive: (board, id, by) => archive(core, { board, id }, by),
    unarchive: (board, id, params, by) => unarchive(core, { board, id }, params, by),
    reportFailure: (board, claimed, report) => reportFailure(core, board, claimed, report),
    claimOutside: (board, id, options, by) => claimOutside(core, { board, id }, options, by),
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

function dispatching(core: Core, waker: Waker): BoardKernel {
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
    previewSettle: (end) => previewSettle(core, end),
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

/** The verbs that explain the board. */
function explains(core: Core): ExplainApi {
  return {
    why: (board, id) => explainTask(core, board, id),
    assignees: (board) => listAssignees(core, board),
    card: (board, id) => readCard(core, board, id),
    view: (board, filter) => view(core, board, filter),
    diagnostics: (board, filter) => diagnostics(core, board, filter),
    doctor: (board, options) => doctor(core, board, options),
    next: (board, options) => next(core, board, options),
  };
}

/** The verbs by which a task is specified, split, or worked by a swarm. */
function orchestration(planning: Planning): OrchestrationApi {
  return {
    specify: (board, id, params, by) => specify(planning, { board, id }, params, by),
    decompose: (board, id, params, by) => decompose(planning, { board, id }, params, by),
    swarm: (board, params, by) => swarm(planning.core, board, params, by),
  };
}

/** What screens ask a board. */
function screening(core: Core): BoardScreenApi {
  return {
    cards: (board, question) => slimCards(core, board, question),
    moves: (board, id) => moves(core, board, id),
  };
}
