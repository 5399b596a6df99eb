import type { RuntimeDefinition } from "../../../lib/contracts/runtimes/runtime.js";
import { openRuntime } from "./runtime.js";

/** Agents of other makers that speak the Agent Client Protocol, over their standard input and output. */
export const ACP: RuntimeDefinition = { id: "acp", open: openRuntime };
