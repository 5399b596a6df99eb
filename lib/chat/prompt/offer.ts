import { join } from "node:path";
import { AppError } from "../../base/errors.js";
import { listUnsortedNames } from "../../base/fs/home-files.js";
import type { Home } from "../../base/home.js";
import type { SessionTools } from "../../contracts/chat/tools.js";
import type { Config } from "../../contracts/config/config.js";
import type { ToolEntry } from "../../tools/core/entry.js";
import { defer } from "../../tools/toolsets/defer.js";
import { type Missing, offered } from "../../tools/toolsets/offered.js";
import { inSet, toolsetsOf, unknownSets } from "../../tools/toolsets/sets.js";
import { CODING_CONTEXT, DISABLED_TOOLSETS, TOOLSETS } from "../config/keys.js";

/** Who the tools are offered to. */
export interface Audience {
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
  /** Sets that the user has switched in the conversation. */
  readonly switched?: SessionTools;
  /** Why a tool, or a whole set, is not for this conversation. */
  readonly withheld?: (entry: Pick<ToolEntry, "name" | "toolset">) => string | undefined;
}

/** What a conversation is offered. */
export interface Offer {
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
export async function offerTools(entries: readonly ToolEntry[], config: Config, audience: Audience): Promise<Offer> {
  const wanted = wantedToolsets(config, audience);
  refuseUnknown(wanted, entries);
  const { env, window, boardTools, worker, switched, home } = audience;
  const toolsets = [...wanted, ...(switched?.enabled ?? [])];
  const found = await offered(entries, {
    env,
    config,
    toolsets,
    disabled: config.get(DISABLED_TOOLSETS),
    profiles: listUnsortedNames(join(home.root, "profiles")).length > 0,
    withheld: (entry) => {
      const off = switched?.disabled.find((name) => inSet(entry, name));
      if (off !== undefined) return `${off} is switched off in this conversation`;
      if (entry.toolset === "kanban" && !boardTools.has(entry.name)) return noBoard(entry.name, boardTools);
      return (worker ? FOR_PEOPLE.get(entry.toolset) : undefined) ?? audience.withheld?.(entry);
    },
  });
  const { tools, deferred } = defer(found.tools, entries, { window, config });
  return {
    tools,
    deferred,
    missing: found.missing,
    notices: found.unknown.map((name) => unknownText([name], entries)),
  };
}

const noBoard = (name: string, given: ReadonlySet<string>): string =>
  given.size > 0 || /_(complete|block|comment|heartbeat)$/.test(name)
    ? "another kind of session has it"
    : "name the toolset kanban to have it";

/** Sets that a board worker is not offered: nobody reads what it asks or sends (core part, 16.1). */
const FOR_PEOPLE: ReadonlyMap<string, string> = new Map([
  ["clarify", "no one can be asked in a board worker"],
  ["messaging", "a board worker sends no messages"],
]);

/** @throws E_USAGE when names were given and none of them means a set */
export function refuseUnknown(toolsets: readonly string[], entries: readonly ToolEntry[]): void {
  const unknown = unknownSets(toolsets, entries);
  if (toolsets.length === 0 || unknown.length < toolsets.length) return;
  throw new AppError("E_USAGE", unknownText(toolsets, entries), { hint: "agent tools list shows what is in each" });
}

const unknownText = (names: readonly string[], entries: readonly ToolEntry[]): string =>
  `no such toolset: ${names.join(", ")}; there are ${toolsetsOf(entries)
    .map((set) => set.name)
    .toSorted()
    .join(", ")}`;
