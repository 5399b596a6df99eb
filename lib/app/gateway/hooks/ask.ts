import type { FoundHook } from "./found.js";

/** Asks somebody whether new and changed hooks may run. */
export type AskHooks = (hooks: readonly FoundHook[]) => Promise<boolean>;
