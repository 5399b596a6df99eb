import type { DeclaredRisk, Effects, ToolDefinition } from "./define.js";
import type { ToolEntry } from "./entry.js";

/** Answer of `worker.tools`: tools of servers and plugins that the owner runs for a board worker, as data. */
export interface OwnerTools {
  /** Sets that may not have a tool yet. */
  readonly toolsets: readonly string[];
  readonly tools: readonly OwnerTool[];
}

/** One of them. */
export interface OwnerTool extends Pick<ToolEntry, "name" | "toolset" | "description" | "risk" | "schema" | "origin"> {
  readonly core: boolean;
  readonly limits: ToolDefinition["limits"];
  readonly effects: Effects;
}

/** Answer of `worker.tool_look`: what is said of one call before it begins. */
export interface OwnerToolLook {
  readonly preview: string;
  readonly declared?: DeclaredRisk;
}
