import type { Store } from "../../storage/store.js";
import type { SessionId } from "../base/units.js";
import type { EditorFiles } from "../contracts/acp/editor-files.js";
import type { ChatEvent, NewSession, SessionRecord } from "../contracts/chat/chat.js";
import type { TurnFiles } from "../contracts/chat/turn-files.js";
import type { TurnReach } from "../contracts/gateway/reach.js";
import type { AuxClient } from "../contracts/models/auxiliary.js";
import type { CheckpointTaker } from "../contracts/owner/checkpoints.js";
import type { Lineage, RedactStream, ResolvedText } from "../safety/redact/redact.js";
import type { BoardPort } from "../tools/core/board-port.js";
import type { Permission, PermissionAnswer } from "../tools/core/define.js";
import type { CallPlace } from "./approvals/call.js";
import type { ApprovalPorts } from "./approvals/hands.js";
import type { ConversationDeps } from "./conversation/conversation.js";
import type { MakePictures } from "./pictures.js";
import type { ActorPorts } from "./session-actor/session-actor-api.js";
import type { SessionCopies } from "./sessions/post-turn.js";
import type { SessionFiles } from "./sessions/sessions-delete.js";

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

/** What the chat of an owner works with. */
export interface ChatDeps extends ConversationDeps, Pick<ActorPorts, "judge"> {
  /** The session store, opened when it is first needed. */
  store(): Promise<Store>;
  /** A store that exists in memory only, for ephemeral sessions. */
  memory(): Promise<Store>;
  readonly files: SessionFiles & SessionCopies;
  gate(session: Pick<SessionRecord, "lineage_root">, options: NewSession, hands?: ApprovalPorts): PermissionGate;
  /** Files of the editor that shows a conversation; undefined: none does. */
  editorOf?(lineage: SessionId): EditorFiles | undefined;
  /** The board as this session may use it, and the names of the board tools it may see. */
  board(
    session: Pick<SessionRecord, "id" | "profile">,
    options: NewSession,
  ): { readonly port?: BoardPort; readonly tools: ReadonlySet<string> };
  /** Look into the sessions of another profile of this root; undefined: unknown profile, or one without sessions. */
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
