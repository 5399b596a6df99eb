import { runCleanupsInOrder } from "../base/async/cleanup.js";
import type { SessionId } from "../base/units.js";
import type { ChatApi, ChatEvent } from "../contracts/chat/chat.js";
import type { QuestionParking } from "../contracts/chat/form.js";
import type { QueueNotice } from "../contracts/chat/queue.js";
import { createApprovals } from "./approvals/approvals.js";
import { cageOfPlaces } from "./approvals/cage.js";
import type { ChatDeps } from "./chat-deps.js";
import { createChildren } from "./children/children.js";
import { compactApi } from "./compaction-api.js";
import { createConverse } from "./converse.js";
import { picturesApi } from "./pictures.js";
import { createProcesses } from "./processes.js";
import { createReviews } from "./review/reviews.js";
import { createOpenSessions } from "./session-actor/open-sessions.js";
import { actorApi, actorDeps, actorFinder } from "./session-actor/session-actor-api.js";
import type { TellSession } from "./session-actor/turn-runner.js";
import { sessionEntrances } from "./session-entrances.js";
import { previewSessions } from "./session-previews.js";
import { createPostTurn } from "./sessions/post-turn.js";
import { readSessions } from "./sessions/reading.js";
import { sessionModels } from "./sessions/session-model.js";
import { openSessionStores } from "./sessions/session-stores.js";
import { sessionTools } from "./sessions/session-tools.js";
import { storedSessions } from "./stored-sessions.js";
import { createHub, type Hub } from "./transcript/hub.js";
import { createLineageResources } from "./transcript/lineage-resources.js";
import { underWay } from "./under-way.js";
import { usageApi } from "./usage-api.js";
import { createWork } from "./work.js";

/** The chat of an owner: its sessions and the turns that run in it. */
export interface Chat extends ChatApi {
  /** Answers of questions that outlived their call. */
  readonly parking: QuestionParking;
  /** Turns that run at this moment. */
  openTurns(): number;
  /** What would be cut off by that. */
  underWay(): ReturnType<typeof underWay>;
  /** Interrupt every turn, wait for their ends, let go of every tool. */
  stop(): Promise<void>;
}

/** Makes the parts, then says for each method of the chat which part implements it. */
export function createChat(deps: ChatDeps): Chat {
  const { clock, ids, cages } = deps.ports;

  const hub = createHub((error) => deps.log.error("session events were lost", { error: String(error) }));
  const tell = tellSession(deps, hub);
  const postTurn = createPostTurn({ ...deps, clock });
  const stores = openSessionStores({ ...deps, turnEnded: postTurn.turnEnded }, hub);
  const resources = createLineageResources();
  const approvals = createApprovals({
    ...deps,
    ...cageOfPlaces(cages, deps.config, "permissions"),
    kept: deps.store,
    store: async (id) => (await stores.of(id)).store,
    session: async (id) => (await stores.of(id)).sessions.get(id),
  });
  const notice: QueueNotice = async (session, told) => {
    await actors.queueAdd(session, { ...told, kind: "process_notice", source: "background" });
  };
  const children = createChildren({ ...deps, stores, hub, tell, notice });
  const reviews = createReviews({ ...deps, clock });
  const converse = createConverse(deps, { children, approvals, stores, resources, notice, reviews });
  const open = createOpenSessions(actorDeps(deps, converse, tell));

  const actors = actorApi(stores, open, deps);
  const actor = actorFinder(stores, open);
  const entrances = sessionEntrances(deps, stores, open);
  const reading = readSessions({ stores, hub, ownerEnded: deps.ownerEnded });
  const close = async (root: SessionId) => {
    await open.close(root);
    await resources.close(root);
  };
  const stored = storedSessions({ ...deps, stores, open, close, submit: actors.submit, clock, ids });
  const compaction = compactApi(actor);
  const usage = usageApi(stores, actor, clock);
  const models = sessionModels(stores, clock, (id) => open.named(id)?.options);
  const tools = sessionTools(stores, clock);
  const previews = previewSessions(deps);
  const processes = createProcesses({ stores, resources, ports: deps.ports });
  const work = createWork({ stores, resources, ports: deps.ports });
  const pictures = picturesApi(deps.pictures, stores);

  return {
    // Ways into a conversation
    create: entrances.create,
    resume: entrances.resume,
    visit: entrances.visit,

    // Stored sessions, read
    get: reading.get,
    find: reading.find,
    list: reading.list,
    count: reading.count,
    search: reading.search,
    messages: reading.messages,
    export: reading.export,
    cursor: reading.cursor,
    storedEvents: reading.storedEvents,
    events: reading.events,
    turnOf: reading.turnOf,

    // Stored sessions, changed
    latest: stored.latest,
    prune: stored.prune,
    autoPrune: stored.autoPrune,
    stats: stored.stats,
    check: stored.check,
    isBusy: stored.isBusy,
    idle: stored.idle,
    fork: stored.fork,
    undoable: stored.undoable,
    undo: stored.undo,
    redo: stored.redo,
    retry: stored.retry,
    archive: stored.archive,
    leave: stored.leave,
    rename: stored.rename,
    delete: stored.delete,
    mirror: stored.mirror,

    // Turns, queues and goals
    submit: actors.submit,
    post: actors.post,
    interrupt: actors.interrupt,
    activity: actors.activity,
    view: actors.view,
    background: actors.background,
    shellLine: actors.shellLine,
    steer: actors.steer,
    queue: actors.queue,
    queueAdd: actors.queueAdd,
    queueEdit: actors.queueEdit,
    queueMove: actors.queueMove,
    queueRemove: actors.queueRemove,
    queueSendNow: actors.queueSendNow,
    queueSteer: actors.queueSteer,
    goal: actors.goal,
    goalSet: actors.goalSet,
    goalPause: actors.goalPause,
    goalResume: actors.goalResume,
    goalClear: actors.goalClear,
    goalSubgoal: actors.goalSubgoal,
    goalRest: actors.goalRest,

    // Context and cost
    compact: compaction.compact,
    compactUndo: compaction.compactUndo,
    context: usage.context,
    cost: usage.cost,
    insights: usage.insights,

    // Model and tools of a session, and what a new one would have
    modelOf: models.modelOf,
    setModel: models.setModel,
    toolsOf: tools.toolsOf,
    switchTools: tools.switchTools,
    renewPrompt: tools.renewPrompt,
    promptSize: previews.promptSize,
    toolList: previews.toolList,

    // Questions and permissions
    parking: approvals.parking,
    questions: approvals.questions.questions,
    answerApproval: approvals.questions.answerApproval,
    answerClarify: approvals.questions.answerClarify,
    answerForm: approvals.questions.answerForm,
    answerHidden: approvals.questions.answerHidden,
    touch: approvals.questions.touch,
    explain: approvals.questions.explain,
    attach: approvals.questions.attach,
    permissions: approvals.permissions.permissions,
    permissionTest: approvals.permissions.permissionTest,
    permissionAdd: approvals.permissions.permissionAdd,
    permissionRevoke: approvals.permissions.permissionRevoke,
    permissionTrust: approvals.permissions.permissionTrust,
    permissionUntrust: approvals.permissions.permissionUntrust,
    permissionSwitches: approvals.permissions.permissionSwitches,

    // What runs beside turns
    children: children.children,
    interruptChild: children.interruptChild,
    processes: processes.processes,
    processLog: processes.processLog,
    processKill: processes.processKill,
    asides: work.asides,
    everyProcess: work.everyProcess,
    runningTurns: work.runningTurns,
    turnIsOpen: work.turnIsOpen,
    turnEnds: work.turnEnds,
    currentOf: work.currentOf,

    // Pictures
    keepPicture: pictures.keepPicture,
    withPictures: pictures.withPictures,
    holdsPicture: pictures.holdsPicture,

    // The owner's own
    keepsCheckpoints: async (id) => {
      const options = open.named(id)?.options;
      return options !== undefined && deps.checkpoints?.(options) !== undefined;
    },
    openTurns: () => open.running() + children.inBackground(),
    underWay: () => underWay({ open, children, resources }),
    stop: () =>
      runCleanupsInOrder([
        open.stop,
        reviews.stop,
        children.stop,
        resources.stop,
        approvals.stop,
        postTurn.stop,
        stores.close,
      ]),
  };
}

/** Tells a live event to those who watch the session and to clients that follow its topic. */
function tellSession({ ports, publish }: Pick<ChatDeps, "ports" | "publish">, hub: Hub): TellSession {
  return (session, turn, event, data) => {
    const told: ChatEvent = {
      event,
      session_id: session,
      at: ports.clock.now(),
      data,
      ...(turn === undefined ? {} : { turn_id: turn }),
    };
    hub.live(told);
    publish(told);
  };
}
