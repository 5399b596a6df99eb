import { lazyStream } from "../../base/async/lazy.js";
import type { LookingApi } from "../../board/queries/looking.js";
import type { BoardApi } from "../../contracts/board/api.js";

/** The boards, loaded with the first call. The order is that of the interfaces that `BoardApi` extends; `lib/board/board.ts` implements them. */
export function lazyBoard(board: () => Promise<BoardApi>): BoardApi {
  return {
    // BoardApi
    resolve: async (...given) => (await board()).resolve(...given),
    find: async (...given) => (await board()).find(...given),
    create: async (...given) => (await board()).create(...given),
    assign: async (...given) => (await board()).assign(...given),
    link: async (...given) => (await board()).link(...given),
    unlink: async (...given) => (await board()).unlink(...given),
    comment: async (...given) => (await board()).comment(...given),
    claimOutside: async (...given) => (await board()).claimOutside(...given),
    heartbeat: async (...given) => (await board()).heartbeat(...given),
    complete: async (...given) => (await board()).complete(...given),
    block: async (...given) => (await board()).block(...given),
    schedule: async (...given) => (await board()).schedule(...given),
    unblock: async (...given) => (await board()).unblock(...given),
    promote: async (...given) => (await board()).promote(...given),
    reclaim: async (...given) => (await board()).reclaim(...given),
    reopen: async (...given) => (await board()).reopen(...given),
    archive: async (...given) => (await board()).archive(...given),
    unarchive: async (...given) => (await board()).unarchive(...given),
    reportFailure: async (...given) => (await board()).reportFailure(...given),
    list: async (...given) => (await board()).list(...given),
    listText: async (...given) => (await board()).listText(...given),
    task: async (...given) => (await board()).task(...given),
    show: async (...given) => (await board()).show(...given),
    runs: async (...given) => (await board()).runs(...given),
    recentRuns: async (...given) => (await board()).recentRuns(...given),
    context: async (...given) => (await board()).context(...given),
    log: async (...given) => (await board()).log(...given),
    followLog: (...given) => lazyStream(async () => (await board()).followLog(...given)),
    stats: async (...given) => (await board()).stats(...given),
    events: (...given) => lazyStream(async () => (await board()).events(...given)),
    eventsAfter: async (...given) => (await board()).eventsAfter(...given),
    lastEvent: async (...given) => (await board()).lastEvent(...given),
    dispatch: async (...given) => (await board()).dispatch(...given),
    banner: async (...given) => (await board()).banner(...given),

    // BoardRecords
    edit: async (...given) => (await board()).edit(...given),
    write: async (...given) => (await board()).write(...given),
    reassign: async (...given) => (await board()).reassign(...given),
    remove: async (...given) => (await board()).remove(...given),
    promoteChildren: async (...given) => (await board()).promoteChildren(...given),
    attach: async (...given) => (await board()).attach(...given),
    attachments: async (...given) => (await board()).attachments(...given),
    attachment: async (...given) => (await board()).attachment(...given),
    detach: async (...given) => (await board()).detach(...given),
    run: async (...given) => (await board()).run(...given),
    endRun: async (...given) => (await board()).endRun(...given),

    // BoardWorkerApi
    workerTools: async (...given) => (await board()).workerTools(...given),
    spend: async (...given) => (await board()).spend(...given),

    // BoardsApi
    boards: async (...given) => (await board()).boards(...given),
    board: async (...given) => (await board()).board(...given),
    init: async (...given) => (await board()).init(...given),
    createBoard: async (...given) => (await board()).createBoard(...given),
    setBoard: async (...given) => (await board()).setBoard(...given),
    switchBoard: async (...given) => (await board()).switchBoard(...given),
    pause: async (...given) => (await board()).pause(...given),
    resume: async (...given) => (await board()).resume(...given),
    removeBoard: async (...given) => (await board()).removeBoard(...given),
    restoreBoard: async (...given) => (await board()).restoreBoard(...given),
    exportBoard: async (...given) => (await board()).exportBoard(...given),
    importBoard: async (...given) => (await board()).importBoard(...given),

    // ExplainApi
    why: async (...given) => (await board()).why(...given),
    next: async (...given) => (await board()).next(...given),
    diagnostics: async (...given) => (await board()).diagnostics(...given),
    assignees: async (...given) => (await board()).assignees(...given),
    card: async (...given) => (await board()).card(...given),
    view: async (...given) => (await board()).view(...given),
    doctor: async (...given) => (await board()).doctor(...given),

    // GcApi
    gc: async (...given) => (await board()).gc(...given),

    // NotifyApi
    subscribe: async (...given) => (await board()).subscribe(...given),
    subscriptions: async (...given) => (await board()).subscriptions(...given),
    unsubscribe: async (...given) => (await board()).unsubscribe(...given),
    deliveries: async (...given) => (await board()).deliveries(...given),

    // OrchestrationApi
    specify: async (...given) => (await board()).specify(...given),
    decompose: async (...given) => (await board()).decompose(...given),
    swarm: async (...given) => (await board()).swarm(...given),

    // WorkspaceApi
    workspace: async (...given) => (await board()).workspace(...given),
    diff: (...given) => lazyStream(async () => (await board()).diff(...given)),

    // BoardScreenApi
    cards: async (...given) => (await board()).cards(...given),
    moves: async (...given) => (await board()).moves(...given),
  };
}

/** Lists of tasks come from `looking`, which loads next to nothing; everything else from `board`. */
export function lookingBoard(looking: () => Promise<LookingApi>, board: BoardApi): BoardApi {
  return {
    ...board,
    resolve: async (...given) => (await looking()).resolve(...given),
    list: async (...given) => (await looking()).list(...given),
    listText: async (...given) => (await looking()).listText(...given),
  };
}
