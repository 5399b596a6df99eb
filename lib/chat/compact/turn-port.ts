import type { TurnId } from "../../base/units.js";
import type { MessageRecord, NewMessage } from "../../proto/chat.js";
import type { ModelChoice, ToolSchema } from "../../proto/model.js";

/** What the next request of a conversation is made of, besides its messages. */
export interface Setting {
  readonly choice: ModelChoice;
  readonly system: string;
  readonly tools: readonly ToolSchema[];
}

/** A result on its way into the store: the only one of its response, so that it stands behind all that is stored. */
export interface Coming {
  readonly message: NewMessage;
  /** Resolves when it is durable. */
  readonly stored: Promise<void>;
}

/** What of it is not among the stored messages yet. */
export function notYetIn(stored: readonly MessageRecord[], coming: Coming | undefined): readonly NewMessage[] {
  if (coming === undefined) return [];
  return stored.at(-1)?.role === "tool" ? [] : [coming.message]; // before it stands the message that asked for it
}

/** A request of a turn that is about to be made. */
export interface BeforeRequest extends Omit<Setting, "system"> {
  readonly turn: TurnId;
  /** The first one of its turn. */
  readonly first: boolean;
  /** Files that the turn has changed so far. */
  readonly changed: Iterable<string>;
  /** What it has besides the stored messages. */
  readonly coming?: Coming | undefined;
  readonly signal: AbortSignal;
}

/** What a turn asks of compaction. */
export interface TurnCompaction {
  /** Compacts the conversation when that is due. @returns the system prompt that the request has to have */
  before(request: BeforeRequest): Promise<string>;
  /** A request was answered. `stored`: messages that it had; `tokens`: its prompt, as counted by the provider where it tells. */
  counted(stored: number, tokens: number): void;
  /** The provider found the request too large. True: the conversation is smaller now. */
  makeRoom(): Promise<boolean>;
}
