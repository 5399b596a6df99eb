import { NAME_CHARS, toolName } from "../contracts/mcp/tool-name.js";

/** Toolset of a server. */
export const toolsetOf = (server: string): string => `mcp-${server}`;

/** Names of the tools of one server, in its order; two that map to one name: the second gets `_2`. */
export function toolNames(server: string, tools: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return tools.map((tool) => {
    const first = toolName(server, tool);
    let name = first;
    for (let n = 2; taken.has(name); n++) name = `${first.slice(0, NAME_CHARS - 1 - String(n).length)}_${n}`;
    taken.add(name);
    return name;
  });
}
