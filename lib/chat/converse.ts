import { lineageCost } from "../../storage/tables/sessions/usage.js";
import type { SessionRecord } from "../contracts/chat/chat.js";
import type { QueueNotice } from "../contracts/chat/queue.js";
import type { RecallPort } from "../contracts/chat/recall.js";
import { type TurnReach, WHOLE_REACH } from "../contracts/gateway/reach.js";
import type { Approvals } from "./approvals/approvals.js";
import type { ChatDeps, PermissionGate } from "./chat-deps.js";
import type { Children } from "./children/children.js";
import { createSummariser } from "./compaction/summary.js";
import { type Conversation, type ConversationInput, openConversation } from "./conversation/conversation.js";
import { lookupsFor } from "./looked-up.js";
import type { Reviews } from "./review/reviews.js";
import type { Converse } from "./session-actor/open-sessions.js";
import { createRecall } from "./sessions/recall.js";
import type { SessionStores } from "./sessions/session-stores.js";
import type { LineageResources } from "./transcript/lineage-resources.js";
import { ofParent } from "./transcript/placeholders.js";
import { openTranscript } from "./transcript/transcript.js";

/** Search earlier conversations; those in memory alone are not found. */
const recallFor = (
  deps: ChatDeps,
  stores: SessionStores,
  session: SessionRecord,
  reach: TurnReach = WHOLE_REACH,
): RecallPort => ({
  recall: async (request) => {
    const elsewhere = deps.elsewhere === undefined ? {} : { elsewhere: deps.elsewhere };
    const asking = { profile: session.profile, asking: session.id, reach: await reach.conversations() };
    return createRecall({ ...(await stores.kept()), ...elsewhere, ...asking }).recall(request);
  },
});

/** What conversations meet besides their own tools. */
interface ConverseParts {
  readonly resources: LineageResources;
  readonly notice: QueueNotice;
  readonly children: Children;
  readonly approvals: Approvals;
  readonly stores: SessionStores;
  readonly reviews: Reviews;
}

/** The conversation without its user: no questions, no notices, and no background work is left behind. */
function unattended(input: ConversationInput, { permit }: PermissionGate): ConversationInput {
  const { asker: _asker, resources: _resources, notice: _notice, children, ...rest } = input;
  return {
    ...rest,
    ...(children === undefined ? {} : { children }), // the list of tools stays the same; none of them runs
    permit,
    placeholders: ofParent(input.placeholders),
    live: () => undefined,
  };
}

/** What opens a conversation with all that its turns use. */
export function createConverse(
  given: ChatDeps,
  { children, approvals, stores, resources, notice, reviews }: ConverseParts,
): Converse {
  const { ports, side, ask } = given;
  // Conversations of one process leave a model alone together that could not summarise.
  const deps = { ...given, summariser: createSummariser({ clock: ports.clock, side, ask }) };
  const { runtimeFor: _noProgram, ...ofReviews } = deps;
  return (store, session, options, live) => {
    let opened: Conversation | undefined;
    // Compaction gives it another segment: a question is shown where its front ends are.
    const hands = approvals.hands(() => opened?.session ?? session, options, live);
    const board = deps.board(session, options);
    const { model, provider } = options;
    const gate = deps.gate(session, options, hands);
    const transcript = openTranscript({ store, clock: deps.ports.clock }, session);
    const checkpoints = () => deps.checkpoints?.(options);
    const editor = () => deps.editorOf?.(session.lineage_root);
    const recall = recallFor(deps, stores, session, gate.reach);
    const input: ConversationInput = {
      ...gate,
      asker: hands.asker,
      transcript,
      spentUsd: () => store.read((q) => lineageCost(q, session.lineage_root)),
      recall,
      lookups: lookupsFor(deps, stores, { recall, env: options.env }),
      resources: resources.of(session.lineage_root),
      notice,
      children: children.portFor({ transcript, options, gate, checkpoints, editor, recall, level: 0 }),
      cwd: options.cwd,
      env: options.env,
      ...(options.origin === undefined ? {} : { origin: options.origin }),
      wanted: { ...(model === undefined ? {} : { model }), ...(provider === undefined ? {} : { provider }) },
      toolsets: options.toolsets ?? [],
      ...(options.skills === undefined ? {} : { skills: options.skills }),
      boardTools: board.tools,
      ignoreRules: options.ignoreRules === true,
      ...(board.port === undefined ? {} : { board: board.port }),
      checkpoints,
      editor,
      live,
    };
    const conversation = openConversation(deps, input);
    opened = conversation;
    return reviews.around({
      conversation,
      options,
      stored: () => openTranscript({ store, clock: deps.ports.clock }, conversation.session),
      open: (over, tools) =>
        openConversation(
          { ...ofReviews, tools },
          { ...unattended(input, deps.gate(session, options)), transcript: over },
        ),
    });
  };
}
