import type { Store } from "../../storage/store.js";
import { lineageCost } from "../../storage/tables/sessions/usage.js";
import { endInOrder } from "../base/async/cleanup.js";
import type { SessionId, TurnId } from "../base/units.js";
import type { ChatApi, ChatEvent, NewSession, SessionRecord } from "../contracts/chat/chat.js";
import type { QueueNotice } from "../contracts/chat/queue.js";
import type { RecallPort } from "../contracts/chat/recall.js";
import type { TurnFiles } from "../contracts/chat/turn-files.js";
import { type TurnReach, WHOLE_REACH } from "../contracts/gateway/reach.js";
import type { AuxClient } from "../contracts/models/auxiliary.js";
import type { CheckpointTaker } from "../contracts/owner/checkpoints.js";
import type { Lineage, RedactStream, ResolvedText } from "../safety/redact/redact.js";
import type { BoardPort } from "../tools/core/board-port.js";
import type { Permission, PermissionAnswer } from "../tools/core/define.js";
import { type Approvals, createApprovals } from "./approvals/approvals.js";
import { cageOfPlaces } from "./approvals/cage.js";
import type { CallPlace } from "./approvals/call.js";
import type { ApprovalHands } from "./approvals/hands.js";
import { type Children, createChildren } from "./children/children.js";
import { createSummariser } from "./compaction/summary.js";
import { compactApi } from "./compaction-api.js";
import { type Conversation, type ConversationDeps, openConversation } from "./conversation/conversation.js";
import { type LanePorts, laneApi, laneDeps, laneFinder } from "./lanes/api.js";
import { THIS_PROCESS } from "./lanes/front-ends.js";
import { type Converse, createOpenSessions, type OpenSessions } from "./lanes/open-sessions.js";
import { lookupsFor } from "./looked-up.js";
import { type MakePictures, picturesApi } from "./pictures.js";
import { createProcesses } from "./processes.js";
import { refuseUnknown } from "./prompt/offer.js";
import { listTools } from "./prompt/tool-list.js";
import { measurePrompt } from "./prompt-size.js";
import { createAftermath, type SessionCopies } from "./sessions/aftermath.js";
import { openBooks, type SessionInput, type SessionStores } from "./sessions/books.js";
import { readMessages } from "./sessions/reading.js";
import { createRecall } from "./sessions/recall.js";
import { sessionModels } from "./sessions/session-model.js";
import { sessionTools } from "./sessions/session-tools.js";
import type { SessionFiles } from "./sessions/sessions-delete.js";
import { storedSessions } from "./stored-sessions.js";
import { followSession, readStored } from "./transcript/follow.js";
import { createHub, type Hub } from "./transcript/hub.js";
import { createLasting, type Lasting } from "./transcript/lasting.js";
import { openTranscript } from "./transcript/transcript.js";
import { turnBegunBy } from "./transcript/transcript-again.js";
import { sessionEvents } from "./transcript/transcript-events.js";
import { underWay } from "./under-way.js";
import { usageApi } from "./usage-api.js";
import { createWork } from "./work.js";

/** What a conversation may do and what it must not show, made once for each open conversation. */
export interface PermissionGate {
  /** Rejects when the call is interrupted while it waits. */
  permit(permission: Permission, call: CallPlace): Promise<PermissionAnswer>;
  redact(text: string): string;
  redactStream(): RedactStream;
  /** What stands for its secrets. */
  readonly placeholders: Lineage;
  /** Puts the true values in the place of placeholders, for what is run or written. What is stored and shown keeps them. */
  reveal(text: string): ResolvedText;
  /** What it reaches of the home; absent: everything. */
  readonly reach?: TurnReach;
}

export type { ApprovalHands } from "./approvals/hands.js";

export interface ChatDeps extends ConversationDeps, Pick<LanePorts, "judge"> {
  /** The session store, opened when it is first needed. */
  store(): Promise<Store>;
  /** A store that exists in memory only, for ephemeral sessions. */
  memory(): Promise<Store>;
  readonly files: SessionFiles & SessionCopies;
  gate(session: Pick<SessionRecord, "lineage_root">, options: NewSession, hands?: ApprovalHands): PermissionGate;
  /** The board as this session may use it, and the names of the board tools it may see. */
  board(
    session: Pick<SessionRecord, "id" | "profile">,
    options: NewSession,
  ): { readonly port?: BoardPort; readonly tools: ReadonlySet<string> };
  /** Look into the sessions of another profile of this root; undefined: it is not there, or has none. */
  elsewhere?<T>(profile: string, look: (store: Store) => Promise<T>): Promise<T | undefined>;
  /** Side work: titles of conversations. Absent: they keep the beginning of their first message. */
  readonly aux?: AuxClient;
  /** Puts files back for an undo; absent while no checkpoints are kept. */
  readonly turnFiles?: TurnFiles;
  /** The checkpoints for a session with these options, while they are wanted. */
  checkpoints?(options: NewSession): CheckpointTaker | undefined;
  /** Pictures of messages; absent: none can be kept. */
  readonly pictures?: MakePictures;
  /** A live event for clients that follow topics. */
  publish(event: ChatEvent): void;
  /** The owner only looks: nothing is recovered or written. */
  readonly readonly: boolean;
  /** This process only reads, and the owner that has written is gone: nothing goes on in the turns that it left open. */
  readonly ownerEnded?: () => boolean;
}

/** The chat of an owner: its sessions and the turns that run in it. */
export interface Chat extends ChatApi {
  /** Turns that run at this moment. */
  openTurns(): number;
  /** What would be cut off by that. */
  underWay(): ReturnType<typeof underWay>;
  /** Interrupt every turn, wait for their ends, let go of every tool. */
  stop(): Promise<void>;
}

export function createChat(deps: ChatDeps): Chat {
  const { clock } = deps.ports;
  const hub = createHub((error) => deps.log.error("events of a session were lost", { error: String(error) }));
  const aftermath = createAftermath({ ...deps, clock });
  const books = openBooks({ ...deps, turnEnded: aftermath.turnEnded }, hub);
  const tell = (
    session: SessionId,
    turn: TurnId | undefined,
    event: string,
    data: Readonly<Record<string, unknown>>,
  ) => {
    const told: ChatEvent = {
      event,
      session_id: session,
      at: clock.now(),
      data,
      ...(turn === undefined ? {} : { turn_id: turn }),
    };
    hub.live(told);
    deps.publish(told);
  };
  const approvals = createApprovals({
    ...deps,
    ...cageOfPlaces(deps.ports.cages, deps.config, "permissions"),
    store: async (id) => (await books.of(id)).store,
    session: async (id) => (await books.of(id)).sessions.get(id),
  });
  const { hands: _hands, stop: settleQuestions, ...asked } = approvals;
  const notice: QueueNotice = async (session, told) => {
    await lanes.queueAdd(session, { ...told, kind: "process_notice", source: "background" });
  };
  const lasting = createLasting();
  const children = createChildren({ ...deps, books, hub, tell, notice });
  const open = createOpenSessions(
    laneDeps(deps, converseWith(sharing(deps), { children, approvals, books, lasting, notice }), tell),
  );
  const lanes = laneApi(books, open, deps);
  return {
    ...reads(books, hub),
    ...readMessages(books, deps.ownerEnded),
    ...asked,
    ...picturesApi(deps.pictures, books),
    ...compactApi(laneFinder(books, open)),
    ...usageApi(books, laneFinder(books, open), clock),
    ...lanes,
    ...sessionModels(books, clock),
    ...storedSessions({
      ...deps,
      books,
      open: withProcesses(open, lasting),
      submit: lanes.submit,
      clock,
      ids: deps.ports.ids,
    }),
    ...entrances(deps, books, open),
    keepsCheckpoints: (id) => {
      const options = open.named(id)?.options;
      return options !== undefined && deps.checkpoints?.(options) !== undefined;
    },
    promptSize: async (options) => {
      const draft = { id: NO_SESSION, lineage_root: NO_SESSION, profile: options.profile ?? deps.home.profile };
      return measurePrompt(deps, options, {
        boardTools: deps.board(draft, options).tools,
        redact: deps.gate(draft, options).redact,
      });
    },
    ...sessionTools(books, clock),
    toolList: async (options, switched) => {
      const draft = { id: NO_SESSION, lineage_root: NO_SESSION, profile: options.profile ?? deps.home.profile };
      return listTools(deps, options, { boardTools: deps.board(draft, options).tools, switched });
    },
    ...createProcesses({ books, lasting, ports: deps.ports }),
    ...createWork({ books, lasting, ports: deps.ports }),
    children: (parent) => children.children(parent),
    interruptChild: (id) => children.interruptChild(id),
    openTurns: () => open.running() + children.inBackground(),
    underWay: () => underWay({ open, children, lasting }),
    stop: () => endInOrder([open.stop, children.stop, lasting.stop, settleQuestions, aftermath.stop, books.close]),
  };
}

/** The ways into a conversation. */
function entrances(
  deps: ChatDeps,
  books: SessionStores,
  open: OpenSessions,
): Pick<ChatApi, "create" | "resume" | "visit"> {
  const reopened = async (id: SessionId, { toolsets = [], cwd }: NewSession) => {
    refuseUnknown(toolsets, deps.tools);
    const { store, sessions } = await books.of(id);
    return { store, session: await sessions.reopen(id, cwd) };
  };
  return {
    create: async (input, frontEnd = THIS_PROCESS) => {
      refuseUnknown(input.toolsets ?? [], deps.tools);
      const session = await books.create(toInput(input, deps.home.profile));
      await open.open((await books.of(session.id)).store, session, input, frontEnd);
      return session;
    },
    resume: async (id, options, frontEnd = THIS_PROCESS) => {
      const { store, session } = await reopened(id, options);
      return (await open.open(store, session, options, frontEnd)).session;
    },
    visit: async (id, options, frontEnd = THIS_PROCESS) => {
      const { store, session } = await reopened(id, options);
      const { source, cwd, env } = options; // nothing of what is allowed for one turn stays
      return (open.enter(session, frontEnd) ?? (await open.open(store, session, { source, cwd, env }, frontEnd)))
        .session;
    },
  };
}

/** Letting go of a lineage for good ends its background processes as well. */
const withProcesses = (open: OpenSessions, lasting: Lasting): OpenSessions => ({
  ...open,
  close: async (root) => {
    await open.close(root);
    await lasting.close(root);
  },
});

/** Stands for a session that is only measured. */
const NO_SESSION = "none" as SessionId; // no session has it: ids begin with a date

function reads(books: SessionStores, hub: Hub) {
  const stored = (session: SessionId) => ({
    session,
    read: async (segment: SessionId, seq: number) => sessionEvents((await books.of(segment)).store, segment, seq),
    current: async (segment: SessionId) => (await (await books.of(segment)).sessions.current(segment))?.id ?? segment,
  });
  return {
    get: async (id) => (await books.of(id)).sessions.get(id),
    find: async (name) => (await books.kept()).sessions.find(name),
    list: async (filter) => (await books.kept()).sessions.list(filter),
    count: async (filter) => (await books.kept()).sessions.count(filter),
    search: async (query, limit) => (await (await books.kept()).search.search(query, { limit })).hits,
    cursor: async (id) => (await (id === undefined ? books.kept() : books.of(id))).store.lastSeq(),
    turnOf: async (id, request) => turnBegunBy((await books.of(id)).store, id, request),
    storedEvents: (id, after) => readStored(stored(id), after),
    events: (id, after, signal) => followSession({ hub, ...stored(id) }, after, signal),
  } satisfies Partial<ChatApi>;
}

/** Earlier conversations; those in memory alone are found by nobody. */
const recallFor = (
  deps: ChatDeps,
  books: SessionStores,
  session: SessionRecord,
  reach: TurnReach = WHOLE_REACH,
): RecallPort => ({
  recall: async (request) => {
    const elsewhere = deps.elsewhere === undefined ? {} : { elsewhere: deps.elsewhere };
    const asking = { profile: session.profile, asking: session.id, reach: await reach.conversations() };
    return createRecall({ ...(await books.kept()), ...elsewhere, ...asking }).recall(request);
  },
});

/** What conversations meet besides their own tools. */
interface Joined {
  readonly lasting: Lasting;
  readonly notice: QueueNotice;
  readonly children: Children;
  readonly approvals: Approvals;
  readonly books: SessionStores;
}

/** Conversations of one process leave a model alone together that could not summarise. */
function sharing(deps: ChatDeps): ChatDeps {
  const { ports, side, ask } = deps;
  return { ...deps, summariser: createSummariser({ clock: ports.clock, side, ask }) };
}

const converseWith =
  (deps: ChatDeps, { children, approvals, books, lasting, notice }: Joined): Converse =>
  (store, session, options, live) => {
    let opened: Conversation | undefined;
    // Compaction gives it another segment: a question is shown where its front ends are.
    const hands = approvals.hands(() => opened?.session ?? session, options, live);
    const board = deps.board(session, options);
    const { model, provider } = options;
    const gate = deps.gate(session, options, hands);
    const transcript = openTranscript({ store, clock: deps.ports.clock }, session);
    const checkpoints = () => deps.checkpoints?.(options);
    const recall = recallFor(deps, books, session, gate.reach);
    opened = openConversation(deps, {
      ...gate,
      asker: hands.asker,
      transcript,
      spentUsd: () => store.read((q) => lineageCost(q, session.lineage_root)),
      recall,
      lookups: lookupsFor(deps, books, { recall, env: options.env }),
      lasting: lasting.of(session.lineage_root),
      notice,
      children: children.portFor({ transcript, options, gate, checkpoints, recall, level: 0 }),
      cwd: options.cwd,
      env: options.env,
      ...(options.origin === undefined ? {} : { origin: options.origin }),
      wanted: { ...(model === undefined ? {} : { model }), ...(provider === undefined ? {} : { provider }) },
      toolsets: options.toolsets ?? [],
      boardTools: board.tools,
      ignoreRules: options.ignoreRules === true,
      ...(board.port === undefined ? {} : { board: board.port }),
      checkpoints,
      live,
    });
    return opened;
  };

function toInput(input: NewSession, profile: string): SessionInput {
  const { source, cwd, title, toolsets, ephemeral } = input;
  return {
    source,
    cwd,
    profile: input.profile ?? profile,
    model: "",
    provider: "",
    ...(toolsets === undefined ? {} : { toolsets }),
    ...(title === undefined ? {} : { title }),
    ...(ephemeral === undefined ? {} : { ephemeral }),
  };
}
