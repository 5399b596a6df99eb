import type { RuntimeDefinition } from "../../../lib/contracts/runtimes/runtime.js";
import { openRuntime } from "./runtime.js";

/** The app-server: one process a conversation, over its standard input and output. */
export const APP_SERVER: RuntimeDefinition = { id: "app-server", open: openRuntime };
