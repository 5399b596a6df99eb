import type { ContextReport } from "../../../lib/contracts/chat/usage.js";

export type UsageTab = "context" | "cost";
export type UsageScope = "session" | "today" | "week" | "all";

/** What fills the window, and what it has cost. */
export interface UsageOverlay {
  readonly kind: "usage";
  readonly tab: UsageTab;
  readonly scope: UsageScope;
  /** The table as the command of the same name prints it; undefined while it is on its way. */
  readonly text: string | undefined;
  readonly error: boolean;
  readonly report: ContextReport | undefined;
  readonly top: number;
}

export const USAGE: UsageOverlay = {
  kind: "usage",
  tab: "context",
  scope: "session",
  text: undefined,
  error: false,
  report: undefined,
  top: 0,
};
