import type { TurnId } from "../../base/units.js";
import type { ModelChoice, ToolSchema } from "../../contracts/models/model.js";

/** What the next request of a conversation is made of, besides its messages. */
export interface RequestSetting {
  readonly choice: ModelChoice;
  readonly system: string;
  readonly tools: readonly ToolSchema[];
}

/** A request of a turn that is about to be made. */
export interface BeforeRequest extends Omit<RequestSetting, "system"> {
  readonly turn: TurnId;
  /** The first one of its turn. */
  readonly first: boolean;
  /** Files that the turn has changed so far. */
  readonly changed: Iterable<string>;
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
