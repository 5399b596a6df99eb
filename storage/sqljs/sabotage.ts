import type { FrameSabotage } from "./frame.js";

/**
 * Ways to break the engine on purpose. The crash tests pass them to see that each is caught; a build without `AGENT_FAULTS` ignores them.
 */
export interface Sabotage extends FrameSabotage {
  /** Replies and events leave before the fsync. */
  readonly ackBeforeSync?: boolean;
  /** A failed fsync is taken for a good one. */
  readonly ignoreFailedSync?: boolean;
  /** What a failed append left is not cut off. */
  readonly keepShortAppend?: boolean;
  /** Segments go before the new checkpoint has its name. */
  readonly removeEarly?: boolean;
  /** What is allocated ahead is written over the end of the frame. */
  readonly padOver?: boolean;
  /** The zeros behind the last frame are not cut off by recovery, and the next frame comes behind them. */
  readonly goOnBehind?: boolean;
  /** Two bodies may be open at once. */
  readonly noMutex?: boolean;
}

declare const AGENT_FAULTS: boolean | undefined;

/** The switches in a test build, none in the product. */
export function allowed(sabotage: Sabotage | undefined): Sabotage {
  return typeof AGENT_FAULTS !== "undefined" && AGENT_FAULTS === true ? (sabotage ?? {}) : {};
}
