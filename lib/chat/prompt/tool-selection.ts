import { join } from "node:path";
import { AppError } from "../../base/errors.js";
import { listUnsortedNames } from "../../base/fs/home-files.js";
import type { Home } from "../../base/home.js";
import type { SessionTools } from "../../contracts/chat/tools.js";
import type { Config } from "../../contracts/config/config.js";
import type { ToolPlace } from "../../tools/core/define.js";
import type { ToolEntry } from "../../tools/core/entry.js";
import type { SourcePlace } from "../../tools/core/tool-source.js";
import type { ToolRegistry } from "../../tools/registry/tool-registry.js";
import { defer } from "../../tools/toolsets/defer.js";
import { type Missing, selectOfferedTools } from "../../tools/toolsets/offered.js";
import { inSet, toolsetsOf, unknownSets } from "../../tools/toolsets/sets.js";
import { CODING_CONTEXT, DISABLED_TOOLSETS, TOOLSETS } from "../config/keys.js";

/** Who the tools are offered to. */
export interface Audience {
  /** What sources of tools learn of it. */
  readonly place?: SourcePlace;
  /** Sets that the session names; empty: those of the settings. */
  readonly named: readonly string[];
  readonly worker: boolean;
  readonly env: Readonly<Record<string, string>>;
  /** Where the profiles are. */
  readonly home: Pick<Home, "root">;
  /** Tokens that the model takes. */
  readonly window: number;
  /** Board tools that this session may see (board part, 17.1). */
  readonly boardTools: ReadonlySet<string>;
  /** What its tools reach beyond files and commands. */
  readonly outside?: ToolPlace["outside"];
  /** Sets that the user has switched in the conversation. */
  readonly switched?: SessionTools;
  /** Why a tool, or a whole set, is not for this conversation. */
  readonly withheld?: (entry: ToolEntry) => string | undefined;
}

/** What a conversation is offered. */
export interface ToolSelection {
  /** Tools whose schemas are sent, in a stable order. */
  readonly tools: readonly ToolEntry[];
  /** Tools behind `tool_search`. */
  readonly deferred: readonly ToolEntry[];
  /** Tools that are there and not offered, with the reason. */
  readonly missing: readonly Missing[];
  /** What the user should know of the names that were given. */
  readonly notices: readonly string[];
}

/** Toolsets of a session: those that it names, else those of the settings; a session that is held to code work has the tools for code. */
export function wantedToolsets(
  config: Config,
  { named, worker }: { readonly named: readonly string[]; readonly worker: boolean },
): readonly string[] {
  if (named.length > 0) return named;
  return !worker && config.get(CODING_CONTEXT) === "focus" ? ["coding"] : config.get(TOOLSETS);
}

/**
 * Tools of a session. The set does not change within a turn.
 *
 * @throws E_USAGE when none of the wanted toolsets exists.
 */
export async function selectTools(
  registry: Pick<ToolRegistry, "entries" | "toolsets">,
  config: Config,
  audience: Audience,
): Promise<ToolSelection> {
  const wanted = wantedToolsets(config, audience);
  const entries = registry.entries(audience.place);
  const announced = registry.toolsets();
  refuseUnknown(wanted, entries, announced);
  const { env, window, boardTools, worker, switched, home, outside } = audience;
  const toolsets = [...wanted, ...(switched?.enabled ?? [])];
  const found = await selectOfferedTools(entries, {
    env,
    config,
    ...(outside === undefined ? {} : { outside }),
    toolsets,
    announced,
    disabled: config.get(DISABLED_TOOLSETS),
    profiles: listUnsortedNames(join(home.root, "profiles")).length > 0,
    withheld: (entry) => {
      const off = switched?.disabled.find((name) => inSet(entry, name));
      if (off !== undefined) return `${off} is disabled in this conversation`;
      if (entry.toolset === "kanban" && !boardTools.has(entry.name)) return noBoard(entry.name, boardTools);
      return (worker ? FOR_PEOPLE.get(entry.toolset) : undefined) ?? audience.withheld?.(entry);
    },
  });
  const board = worker || toolsets.includes("kanban");
  const { tools, deferred } = defer(found.tools, entries, { window, config, board });
  return {
    tools,
    deferred,
    missing: found.missing,
    notices: [
      ...found.unknown.map((name) => unknownText([name], entries)),
      ...unknownSets(toolsets, entries)
        .filter((name) => announced.includes(name))
        .map((name) => `toolset ${name} has no tools yet`),
    ],
  };
}

const noBoard = (name: string, given: ReadonlySet<string>): string =>
  given.size > 0 || /_(complete|block|comment|heartbeat)$/.test(name)
    ? "available in another kind of session"
    : "enable the kanban toolset to use it";

/** Sets that a board worker is not offered: its questions and messages would not be read (core part, 16.1). */
const FOR_PEOPLE: ReadonlyMap<string, string> = new Map([
  ["clarify", "a board worker cannot ask questions"],
  ["messaging", "a board worker cannot send messages"],
]);

/** @throws E_USAGE when names were given and none of them means a set */
export function refuseUnknown(
  toolsets: readonly string[],
  entries: readonly ToolEntry[],
  announced: readonly string[],
): void {
  const unknown = unknownSets(toolsets, entries, announced);
  if (toolsets.length === 0 || unknown.length < toolsets.length) return;
  throw new AppError("E_USAGE", unknownText(toolsets, entries), { hint: "agent tools list lists their tools" });
}

const unknownText = (names: readonly string[], entries: readonly ToolEntry[]): string =>
  `unknown toolset: ${names.join(", ")} (known: ${toolsetsOf(entries)
    .map((set) => set.name)
    .toSorted()
    .join(", ")})`;
