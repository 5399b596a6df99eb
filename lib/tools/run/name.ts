import type { ToolCall } from "../../contracts/models/model.js";
import { toScreenLine } from "../../safety/redact/text.js";
import { parseArguments } from "../core/coerce.js";
import type { AnyTool } from "../core/define.js";
import { repairName } from "../core/repair.js";
import type { CallDeps } from "./call.js";

/** A call with the tool that it means; without one the tool is unknown. */
export interface NamedCall {
  readonly call: ToolCall;
  readonly tool?: AnyTool;
}

/** The tool of a call: its name repaired, and what `tool_call` holds in its place (core part, 2.4 and 16.2). */
export async function nameCall(call: ToolCall, deps: CallDeps): Promise<NamedCall> {
  const held = bridged(call, deps) ?? call;
  const name = repairName(held.name, namesIn(deps), guessedIn(deps));
  const tool = name === undefined ? undefined : await toolOf(name, deps);
  if (name === undefined || tool === undefined) return { call: held };
  if (name !== held.name) deps.notice?.(`tool name '${toScreenLine(held.name, 80)}' read as '${name}'`);
  return { call: name === held.name ? held : { ...held, name }, tool };
}

const BRIDGE = "tool_call";

const namesIn = (deps: CallDeps): string[] => [
  ...deps.tools.keys(),
  ...(deps.deferred ?? []).map((entry) => entry.name),
];

/** Names of built-in tools: those of one server have the same beginning, so that its `delete_item` is as near to `get_item` as one is to itself. */
const guessedIn = (deps: CallDeps): string[] => [
  ...[...deps.tools.values()].filter((tool) => tool.schema === undefined).map((tool) => tool.name),
  ...(deps.deferred ?? []).filter((entry) => entry.origin === undefined).map((entry) => entry.name),
];

async function toolOf(name: string, deps: CallDeps): Promise<AnyTool | undefined> {
  return deps.tools.get(name) ?? (await deps.deferred?.find((entry) => entry.name === name)?.load());
}

/** The call inside a `tool_call`; undefined for another tool, or when its own arguments are invalid and it must say so itself. */
function bridged(call: ToolCall, deps: CallDeps): ToolCall | undefined {
  const tool = deps.tools.get(BRIDGE);
  if (tool === undefined || repairName(call.name, namesIn(deps), guessedIn(deps)) !== BRIDGE) return undefined;
  const args = parseArguments(tool, call.arguments);
  if (!args.ok) return undefined;
  const { name, arguments: inner } = args.params as { name: string; arguments: unknown }; // what the schema of tool_call gives
  return name === BRIDGE ? undefined : { ...call, name, arguments: JSON.stringify(inner) };
}
