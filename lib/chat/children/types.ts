import type { SessionId, TurnId } from "../../base/units.js";
import type { EditorFiles } from "../../contracts/acp/editor-files.js";
import type { NewSession, SessionRecord, Transcript } from "../../contracts/chat/chat.js";
import type { QueueNotice } from "../../contracts/chat/queue.js";
import type { RecallPort } from "../../contracts/chat/recall.js";
import type { CheckpointTaker } from "../../contracts/owner/checkpoints.js";
import type { BoardPort } from "../../tools/core/board-port.js";
import type { ChildTask, DelegateCall } from "../../tools/core/delegate-port.js";
import type { ConversationDeps, ConversationInput } from "../conversation/conversation.js";
import type { SessionStores } from "../sessions/session-stores.js";
import type { Hub } from "../transcript/hub.js";

/** What a conversation may do and must not show; a child has that of its parent, so that a placeholder means the same in both. */
export type ChildGate = Pick<
  ConversationInput,
  "permit" | "redact" | "redactStream" | "reveal" | "placeholders" | "reach"
>;

/** A conversation that sends children. */
export interface Parent {
  readonly transcript: Transcript;
  readonly options: NewSession;
  readonly gate: ChildGate;
  /** Who keeps the state of directories before they are changed, while that is wanted. */
  checkpoints?(): CheckpointTaker | undefined;
  /** Files of the editor that shows it. */
  editor?(): EditorFiles | undefined;
  /** Earlier conversations. */
  readonly recall?: RecallPort;
  /** The conversation that sent this one to work. */
  heardBy?(): Promise<void>;
  /** Generations above it: 0 for a conversation that a person began. */
  readonly level: number;
}

export interface ChildrenDeps extends ConversationDeps {
  readonly stores: SessionStores;
  readonly hub: Hub;
  gate(session: Pick<SessionRecord, "lineage_root">, options: NewSession): ChildGate;
  board(
    session: Pick<SessionRecord, "id" | "profile">,
    options: NewSession,
  ): { readonly port?: BoardPort; readonly tools: ReadonlySet<string> };
  /** Event of a session that describes the present only. */
  tell(session: SessionId, turn: TurnId | undefined, event: string, data: Readonly<Record<string, unknown>>): void;
  /** Tells a conversation that something of its background has ended. Absent: nothing works in the background. */
  readonly notice?: QueueNotice;
}

/** One child to work. */
export interface ChildJob {
  readonly task: ChildTask;
  readonly call: DelegateCall;
  readonly index: number;
  readonly background: boolean;
}
