import type { SessionId, TurnId } from "../../base/units.js";
import type { TurnFacts } from "./turn-facts.js";

/** The call that asks for permission. */
export interface CallPlace {
  readonly cwd: string;
  readonly callId: string;
  /** Session of the child that it belongs to; absent for a call of the conversation itself. */
  readonly child?: SessionId;
  /** Aborts on interrupt. */
  readonly signal: AbortSignal;
  readonly turn?: TurnId | undefined;
  /** What the turn has done so far; absent where it is not recorded. */
  readonly facts?: TurnFacts;
}
