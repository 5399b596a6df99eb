import { AppError } from "../../base/errors.js";
import type { Config } from "../../contracts/config/config.js";
import { DELEGATION } from "../../tools/core/delegate-keys.js";
import type { ChildTask, DelegateCall } from "../../tools/core/delegate-port.js";
import type { ToolEntry } from "../../tools/core/entry.js";
import { toolsetsOf, unknownSets } from "../../tools/toolsets/sets.js";

/** Sets that a child without children of its own is never offered (core part, 25.2). */
const NOT_FOR_LEAVES: ReadonlySet<string> = new Set(["delegation", "clarify", "memory", "messaging", "code_execution"]);

type Withheld = (entry: ToolEntry) => string | undefined;

/** What keeps a tool from a child: its parent does not have it, it is not for its role, or servers are not inherited and the task names none. */
export function withheldFrom({ role, toolsets }: ChildTask, { offered }: DelegateCall, config: Config): Withheld {
  const parent = new Set(offered);
  const inherits = config.get(DELEGATION.inheritMcp);
  return ({ name, toolset, origin }) => {
    if (!parent.has(name)) return "the conversation that sent this child does not have it";
    if (!inherits && origin?.kind === "mcp" && !toolsets.includes(toolset))
      return "delegation.inherit_mcp_toolsets is false";
    return role === "leaf" && NOT_FOR_LEAVES.has(toolset) ? "not for a child" : undefined;
  };
}

/** Sets of a child: those that its task names, with the servers of its parent where they are inherited; else those of its parent. */
export function childToolsets(
  { toolsets }: ChildTask,
  above: readonly string[],
  { entries, config }: { readonly entries: readonly ToolEntry[]; readonly config: Config },
): readonly string[] {
  if (toolsets.length === 0) return above;
  const servers = config.get(DELEGATION.inheritMcp) ? entries.filter(({ origin }) => origin?.kind === "mcp") : [];
  return [...new Set([...toolsets, ...servers.map(({ toolset }) => toolset)])];
}

/** The task as it will be worked: a child that may not have children of its own is a leaf whatever it was called. */
export function limitChildRole(task: ChildTask, level: number, config: Config): ChildTask {
  const mayDelegate = config.get(DELEGATION.orchestrators) && level + 1 < config.get(DELEGATION.depth);
  return mayDelegate ? task : { ...task, role: "leaf" };
}

/** @throws E_INVALID when a task names no set that there is, or nothing but sets that its parent does not have */
export function refuseToolsets(
  { toolsets }: ChildTask,
  { offered }: DelegateCall,
  entries: readonly ToolEntry[],
): void {
  if (toolsets.length === 0) return;
  const own = entries.filter((entry) => offered.includes(entry.name));
  const unknown = unknownSets(toolsets, own);
  if (unknown.length === 0) return;
  const there = toolsetsOf(own).filter((set) => set.kind !== "preset");
  throw new AppError(
    "E_INVALID",
    `unknown toolset: ${unknown.join(", ")} (available to children: ${there.map((set) => set.name).join(", ")})`,
  );
}
