import type { Ms, TurnId } from "../../base/units.js";
import type { Along } from "../../contracts/chat/chat.js";
import type { ChatMessage } from "../../contracts/models/model.js";
import type { AnswerMemory } from "./answer-policy.js";
import type { ToolRounds } from "./tool-round.js";
import type { TurnDeps } from "./turn-types.js";
import type { TurnUsage } from "./turn-usage.js";

/** State of one running turn. */
export interface TurnState {
  readonly id: TurnId;
  readonly deps: TurnDeps;
  readonly signal: AbortSignal;
  readonly turnUsage: TurnUsage;
  memory: AnswerMemory;
  /** Notes of the caller for the wire, which begin the memory of every model. */
  readonly wireOnly: readonly ChatMessage[];
  /** What the user said. */
  readonly question: string;
  /** Pictures of it: absolute paths. */
  readonly pictures: readonly string[];
  /** What hooks add to it on the wire. */
  context: string | undefined;
  readonly tools: ToolRounds;
  readonly started: Ms;
  /** Rounds that count against `agent.max_turns`. */
  rounds: number;
  uncounted: number;
  /** Budgets whose end was announced to the model. */
  readonly warned: Set<string>;
  asked: number;
  /** Counters of the last request, until they are stored: with the message that it gave, or by themselves. */
  used: Along["usage"];
}
