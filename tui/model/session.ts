/** The conversation that is shown, as far as more than one room needs it. */
export interface SessionState {
  readonly id: string | undefined;
  readonly title: string;
  readonly model: string;
  /** What it does at this moment: `idle`, `thinking`, `writing`, the name of a tool, … */
  readonly phase: string;
  /** Monotonic start of the running turn; undefined while idle. */
  readonly turnSince: number | undefined;
  readonly interruptedAt: number | undefined;
  /** Program of another maker that works the turn; empty: the agent's own loop. */
  readonly program: string;
  /** Monotonic time of the last event of the turn. */
  readonly heardAt: number;
  /** Approvals are off for it. */
  readonly yolo: boolean;
}

export const NO_SESSION: SessionState = {
  id: undefined,
  title: "",
  model: "",
  phase: "idle",
  turnSince: undefined,
  interruptedAt: undefined,
  program: "",
  heardAt: 0,
  yolo: false,
};

/** A model as it is named to people, with its provider where that says something. */
export const modelName = (provider: string, model: string): string =>
  (provider === "" || provider === "custom" ? model : `${provider} ${model}`).trim();
