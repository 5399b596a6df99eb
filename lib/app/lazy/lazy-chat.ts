import { lazyStream } from "../../base/async/lazy.js";
import type { ChatApi } from "../../contracts/chat/chat.js";

/** Conversations, loaded with the first call. The order is that of the interfaces that `ChatApi` extends; `lib/chat/chat.ts` implements them. */
export function lazyChat(chat: () => Promise<ChatApi>): ChatApi {
  return {
    // ChatApi
    create: async (...given) => (await chat()).create(...given),
    get: async (...given) => (await chat()).get(...given),
    find: async (...given) => (await chat()).find(...given),
    resume: async (...given) => (await chat()).resume(...given),
    visit: async (...given) => (await chat()).visit(...given),
    keepsCheckpoints: async (...given) => (await chat()).keepsCheckpoints(...given),
    list: async (...given) => (await chat()).list(...given),
    count: async (...given) => (await chat()).count(...given),
    messages: async (...given) => (await chat()).messages(...given),
    submit: async (...given) => (await chat()).submit(...given),
    shellLine: async (...given) => (await chat()).shellLine(...given),
    turnOf: async (...given) => (await chat()).turnOf(...given),
    promptSize: async (...given) => (await chat()).promptSize(...given),
    toolList: async (...given) => (await chat()).toolList(...given),
    interrupt: async (...given) => (await chat()).interrupt(...given),
    delete: async (...given) => (await chat()).delete(...given),
    rename: async (...given) => (await chat()).rename(...given),
    export: (...given) => lazyStream(async () => (await chat()).export(...given)),
    search: async (...given) => (await chat()).search(...given),
    cursor: async (...given) => (await chat()).cursor(...given),
    storedEvents: (...given) => lazyStream(async () => (await chat()).storedEvents(...given)),
    events: (...given) => lazyStream(async () => (await chat()).events(...given)),

    // QueueApi
    post: async (...given) => (await chat()).post(...given),
    background: async (...given) => (await chat()).background(...given),
    queue: async (...given) => (await chat()).queue(...given),
    queueAdd: async (...given) => (await chat()).queueAdd(...given),
    queueEdit: async (...given) => (await chat()).queueEdit(...given),
    queueMove: async (...given) => (await chat()).queueMove(...given),
    queueRemove: async (...given) => (await chat()).queueRemove(...given),
    queueSendNow: async (...given) => (await chat()).queueSendNow(...given),
    queueSteer: async (...given) => (await chat()).queueSteer(...given),
    steer: async (...given) => (await chat()).steer(...given),
    view: async (...given) => (await chat()).view(...given),
    activity: async (...given) => (await chat()).activity(...given),

    // GoalApi
    goal: async (...given) => (await chat()).goal(...given),
    goalSet: async (...given) => (await chat()).goalSet(...given),
    goalPause: async (...given) => (await chat()).goalPause(...given),
    goalResume: async (...given) => (await chat()).goalResume(...given),
    goalClear: async (...given) => (await chat()).goalClear(...given),
    goalSubgoal: async (...given) => (await chat()).goalSubgoal(...given),
    goalRest: async (...given) => (await chat()).goalRest(...given),

    // StoredSessionsApi
    latest: async (...given) => (await chat()).latest(...given),
    prune: async (...given) => (await chat()).prune(...given),
    autoPrune: async (...given) => (await chat()).autoPrune(...given),
    stats: async (...given) => (await chat()).stats(...given),
    check: async (...given) => (await chat()).check(...given),
    isBusy: async (...given) => (await chat()).isBusy(...given),
    idle: async (...given) => (await chat()).idle(...given),
    fork: async (...given) => (await chat()).fork(...given),
    undoable: async (...given) => (await chat()).undoable(...given),
    undo: async (...given) => (await chat()).undo(...given),
    redo: async (...given) => (await chat()).redo(...given),
    retry: async (...given) => (await chat()).retry(...given),
    archive: async (...given) => (await chat()).archive(...given),
    leave: async (...given) => (await chat()).leave(...given),

    // ChildrenApi
    children: async (...given) => (await chat()).children(...given),
    interruptChild: async (...given) => (await chat()).interruptChild(...given),

    // CompactApi
    compact: async (...given) => (await chat()).compact(...given),
    compactUndo: async (...given) => (await chat()).compactUndo(...given),

    // ProcessesApi
    processes: async (...given) => (await chat()).processes(...given),
    processLog: async (...given) => (await chat()).processLog(...given),
    processKill: async (...given) => (await chat()).processKill(...given),

    // SessionToolsApi
    toolsOf: async (...given) => (await chat()).toolsOf(...given),
    switchTools: async (...given) => (await chat()).switchTools(...given),
    renewPrompt: async (...given) => (await chat()).renewPrompt(...given),

    // QuestionsApi
    questions: async (...given) => (await chat()).questions(...given),
    answerApproval: async (...given) => (await chat()).answerApproval(...given),
    answerClarify: async (...given) => (await chat()).answerClarify(...given),
    answerForm: async (...given) => (await chat()).answerForm(...given),
    answerHidden: async (...given) => (await chat()).answerHidden(...given),
    touch: async (...given) => (await chat()).touch(...given),
    explain: async (...given) => (await chat()).explain(...given),
    attach: async (...given) => (await chat()).attach(...given),

    // PermissionsApi
    permissions: async (...given) => (await chat()).permissions(...given),
    permissionTest: async (...given) => (await chat()).permissionTest(...given),
    permissionAdd: async (...given) => (await chat()).permissionAdd(...given),
    permissionRevoke: async (...given) => (await chat()).permissionRevoke(...given),
    permissionTrust: async (...given) => (await chat()).permissionTrust(...given),
    permissionUntrust: async (...given) => (await chat()).permissionUntrust(...given),
    permissionSwitches: async (...given) => (await chat()).permissionSwitches(...given),

    // SessionModelApi
    modelOf: async (...given) => (await chat()).modelOf(...given),
    setModel: async (...given) => (await chat()).setModel(...given),

    // UsageApi
    context: async (...given) => (await chat()).context(...given),
    cost: async (...given) => (await chat()).cost(...given),
    insights: async (...given) => (await chat()).insights(...given),

    // MirrorApi
    mirror: async (...given) => (await chat()).mirror(...given),

    // ChatPicturesApi
    keepPicture: async (...given) => (await chat()).keepPicture(...given),
    withPictures: async (...given) => (await chat()).withPictures(...given),
    holdsPicture: async (...given) => (await chat()).holdsPicture(...given),

    // WorkApi
    asides: async (...given) => (await chat()).asides(...given),
    everyProcess: async (...given) => (await chat()).everyProcess(...given),
    runningTurns: async (...given) => (await chat()).runningTurns(...given),
    turnIsOpen: async (...given) => (await chat()).turnIsOpen(...given),
    turnEnds: async (...given) => (await chat()).turnEnds(...given),
    currentOf: async (...given) => (await chat()).currentOf(...given),
  };
}
