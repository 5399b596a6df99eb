import type { AppOptions } from "../../config/app-options.js";
import type { ToolSource } from "../../tools/core/tool-source.js";
import { TOOLS } from "../../tools/index.gen.js";
import { createToolRegistry, type ToolRegistry } from "../../tools/registry/tool-registry.js";

/** The tools of this process: those that are built in, then those of each source in order. */
export function buildTools({ log }: Pick<AppOptions, "log">, sources: readonly ToolSource[]): ToolRegistry {
  const own = log.child("tools");
  return createToolRegistry(TOOLS, sources, (text) => own.warning(text));
}
