import type { Home } from "../../base/home.js";
import type { NewSession } from "../../contracts/chat/chat.js";
import type { ListedTool, SessionTools, ToolListing } from "../../contracts/chat/tools.js";
import type { Config } from "../../contracts/config/config.js";
import type { ToolPlace } from "../../tools/core/define.js";
import type { ToolEntry } from "../../tools/core/entry.js";
import type { ToolRegistry } from "../../tools/registry/tool-registry.js";
import { BRIDGE_SET, toolsetsOf } from "../../tools/toolsets/sets.js";
import { DISABLED_TOOLSETS } from "../config/keys.js";
import { selectTools, wantedToolsets } from "./tool-selection.js";

/** Every tool of this program with what keeps it from a session with these options, and every set. */
export async function listTools(
  {
    tools,
    config,
    home,
    ports,
  }: {
    readonly tools: ToolRegistry;
    readonly config: Config;
    readonly home: Pick<Home, "root" | "profile">;
    readonly ports?: ToolPlace["outside"];
  },
  options: NewSession,
  { boardTools, switched }: { readonly boardTools: ReadonlySet<string>; readonly switched?: SessionTools | undefined },
): Promise<ToolListing> {
  await tools.ready(new AbortController().signal);
  const place = { profile: options.profile ?? home.profile };
  const audience = {
    place,
    ...(switched === undefined ? {} : { switched }),
    named: options.toolsets ?? [],
    worker: false,
    env: options.env,
    home,
    window: Number.POSITIVE_INFINITY,
    boardTools,
    ...(ports === undefined ? {} : { outside: ports }),
  };
  const offer = await selectTools(tools, config, audience);
  const there = new Set([...offer.tools, ...offer.deferred].map((entry) => entry.name));
  const why = new Map(offer.missing.map((one) => [one.name, one.why]));
  const own = tools.entries(place).filter((entry) => entry.toolset !== BRIDGE_SET);
  return {
    wanted: wantedToolsets(config, audience),
    disabled: config.get(DISABLED_TOOLSETS),
    tools: own.map((entry) => listed(entry, there.has(entry.name), why.get(entry.name))),
    toolsets: [...toolsetsOf(own), ...announced(tools, own)].map((set) => ({
      ...set,
      on: set.tools.some((name) => there.has(name)),
    })),
    notices: offer.notices,
  };
}

/** Sets of sources whose tools are not loaded yet: they can be named anyway. */
const announced = (tools: ToolRegistry, own: readonly ToolEntry[]) =>
  tools
    .toolsets()
    .filter((name) => !own.some(({ toolset }) => toolset === name))
    .toSorted()
    .map((name) => ({ name, kind: "set" as const, tools: [] }));

function listed(
  { name, toolset, risk, description, core, origin }: ToolEntry,
  offered: boolean,
  why: string | undefined,
): ListedTool {
  const summary = /^.*?[.!?](?=\s|$)/s.exec(description)?.[0] ?? description;
  return {
    name,
    toolset,
    risk,
    summary,
    offered,
    why: offered ? null : (why ?? null),
    core: core !== false,
    origin: origin ?? null,
  };
}
