/** A call of a tool that runs now. */
export interface RunningCall {
  readonly id: string;
  readonly name: string;
  readonly since: number;
  /** The approval that it waits for; its time begins with the answer. */
  readonly asks?: string | undefined;
}

/** What the status line shows and no other room keeps. Times are monotonic. */
export interface StatusState {
  /** `/statusbar off`: neither status line nor hints are drawn. */
  readonly off: boolean;
  /** Running calls, the oldest first. */
  readonly calls: readonly RunningCall[];
  readonly retry:
    | { readonly attempt: number; readonly of: number; readonly cause: string; readonly until: number }
    | undefined;
  /** How long the running turn has waited for the user, and since when it does so now. */
  readonly waited: number;
  readonly waitsSince: number | undefined;
  /** Tokens of this turn, or of the last one. */
  readonly used: { readonly input: number; readonly cached: number; readonly output: number };
  /** Of the last request, of the model, and where compaction begins; 0: not known. */
  readonly context: { readonly prompt: number; readonly window: number; readonly trigger: number };
  /** Of the session in USD; null: the price of what was asked is unknown; undefined: nothing was asked. */
  readonly cost: number | null | undefined;
  /** Requests cost nothing there; undefined: not known yet. */
  readonly free: boolean | undefined;
  readonly goal: { readonly status: string; readonly turns: number; readonly most: number } | undefined;
  readonly effort: string;
  readonly fast: boolean;
  /** Another model than the chosen one serves. */
  readonly fallback: boolean;
  readonly ephemeral: boolean;
  readonly directory: string;
  readonly branch: string;
}

export const NO_STATUS: StatusState = {
  off: false,
  calls: [],
  retry: undefined,
  waited: 0,
  waitsSince: undefined,
  used: { input: 0, cached: 0, output: 0 },
  context: { prompt: 0, window: 0, trigger: 0 },
  cost: undefined,
  free: undefined,
  goal: undefined,
  effort: "",
  fast: false,
  fallback: false,
  ephemeral: false,
  directory: "",
  branch: "",
};
