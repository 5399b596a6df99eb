import type { Loaded } from "../loaded.js";
import type { RunRow } from "../runs/state.js";
import type { TaskRow } from "./state.js";

/** The shown board as it was read. */
export type BoardMessage = {
  readonly type: "board";
  readonly slug: string;
  readonly board: Loaded<TaskRow>;
  readonly runs: Loaded<RunRow>;
};
