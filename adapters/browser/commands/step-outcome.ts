import type { Value } from "./answer.js";

/** Outcome of one step. `facts` are shown with the answer. */
export type StepOutcome =
  | { readonly ok: true; readonly facts: Value }
  | { readonly ok: false; readonly error: string; readonly facts: Value };
