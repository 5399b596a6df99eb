import type { AnyTool } from "../../tools/core/define.js";
import type { ToolEntry } from "../../tools/core/entry.js";
import type { ToolRegistry } from "../../tools/registry/tool-registry.js";
import { toFailureResult } from "../../tools/run/scope.js";

/** Toolsets that a review may use. */
const SETS: ReadonlySet<string> = new Set(["memory", "skills"]);

/**
 * The same tools, to the byte of their schemas: the provider has the beginning of the request in its cache. Those that a review may not use say so.
 *
 * @param untrusted the conversation holds content of others: whatever is saved counts as written after reading it
 */
export function reviewTools(tools: ToolRegistry, untrusted: boolean): ToolRegistry {
  const entryOf = (entry: ToolEntry): ToolEntry => ({
    ...entry,
    load: async () => (SETS.has(entry.toolset) ? marked(await entry.load(), untrusted) : refused(await entry.load())),
  });
  return {
    entries: (place) => tools.entries(place).map(entryOf),
    toolsets: () => tools.toolsets(),
    find: (name, place) => {
      const entry = tools.find(name, place);
      return entry === undefined ? undefined : entryOf(entry);
    },
    ready: () => undefined,
  };
}

const marked = (tool: AnyTool, untrusted: boolean): AnyTool => ({
  ...tool,
  run: async (params, ctx) => {
    if (untrusted) ctx.readUntrusted?.();
    return await tool.run(params, ctx);
  },
});

const refused = (tool: AnyTool): AnyTool => ({
  ...tool,
  effects: () => ({ reads: [], writes: [] }),
  run: async () => toFailureResult("not available in a review: use memory, skill_view and skill_manage only"),
});
