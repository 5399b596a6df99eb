import type { ToolListing } from "../../contracts/chat/tools.js";
import { sessionOptions } from "../conversation/conversation.js";
import { toSessionFront } from "../conversation/start-turn.js";
import type { CommandContext } from "../define.js";

/** What this conversation is offered, or one that is begun here; with a platform, what its front end offers. */
export async function listingFor(ctx: CommandContext, platform?: string): Promise<ToolListing> {
  const options = sessionOptions(ctx);
  if (ctx.session !== undefined && platform === undefined) {
    const front = toSessionFront(await ctx.chat.get(ctx.session), ctx);
    return ctx.chat.toolList({ ...options, ...front }, await ctx.chat.toolsOf(ctx.session));
  }
  return ctx.chat.toolList(platform === undefined ? options : { ...options, toolsets: [`agent-${platform}`] });
}

/** One line per tool, by set; what is not offered says why. */
export function renderToolListing({ tools }: ToolListing): string {
  const sets = [...new Set(tools.map((tool) => tool.toolset))].toSorted();
  const width = Math.max(...tools.map((tool) => tool.name.length));
  const line = (tool: ToolListing["tools"][number]) =>
    `  ${tool.offered ? "on " : "off"} ${tool.name.padEnd(width)}  ${tool.why === null ? tool.summary : `not offered: ${tool.why}`}`;
  return sets
    .map((set) => {
      const own = tools.filter((tool) => tool.toolset === set);
      return [`${set}${originsOf(own)}`, ...own.map(line)].join("\n");
    })
    .join("\n");
}

/** Who brings the tools of a set that are not built in. */
function originsOf(tools: ToolListing["tools"]): string {
  const names = tools.flatMap(({ origin }) =>
    origin === null ? [] : [`${origin.kind === "mcp" ? "MCP server" : "plugin"} ${origin.name}`],
  );
  return names.length === 0 ? "" : `  (${[...new Set(names)].join(", ")})`;
}

/** One line per set, with the tools in it; of a preset, what it leaves out. */
export function toolsetLines({ toolsets, tools: all }: ToolListing): string {
  const width = Math.max(...toolsets.map((set) => set.name.length));
  const inside = ({ kind, tools }: ToolListing["toolsets"][number]) => {
    if (kind !== "preset") return tools.join(" ");
    const without = all.map((tool) => tool.name).filter((name) => !tools.includes(name));
    return without.length === 0 ? "every tool" : `every tool except ${without.join(" ")}`;
  };
  return toolsets
    .map((set) => `${set.on ? "on " : "off"} ${set.name.padEnd(width)}  ${set.kind.padEnd(9)}  ${inside(set)}`)
    .join("\n");
}
