import { isRecord } from "../../base/json/record.js";
import type { ToolPlace } from "../core/define.js";
import type { ToolEntry } from "../core/entry.js";
import { BRIDGE_SET, inSet, unknownSets } from "./sets.js";

export interface Wish extends ToolPlace {
  /** Sets by name. */
  readonly toolsets: readonly string[];
  /** Sets that are taken away last. */
  readonly disabled: readonly string[];
  /** The root has more than one profile. */
  readonly profiles: boolean;
  /** Sets whose tools may not be there yet. */
  readonly announced?: readonly string[];
  /** Why a tool or a whole set is not for this conversation; names of both kinds. */
  readonly withheld: (entry: ToolEntry) => string | undefined;
}

/** A tool of a wanted set that is not offered. */
export interface Missing {
  readonly name: string;
  readonly toolset: string;
  readonly why: string;
}

export interface OfferedTools {
  /** In a stable order, so that every request of a conversation begins with the same bytes. */
  readonly tools: readonly ToolEntry[];
  readonly missing: readonly Missing[];
  /** Names that mean no set. */
  readonly unknown: readonly string[];
}

/** The tools of the wanted sets that can be used in this place, as a model sees them, and what keeps the others away. */
export async function selectOfferedTools(entries: readonly ToolEntry[], wish: Wish): Promise<OfferedTools> {
  const tools: ToolEntry[] = [];
  const missing: Missing[] = [];
  const own = entries.filter(({ toolset }) => toolset !== BRIDGE_SET);
  // Side by side: some look at logins, settings of services or the PATH.
  const looked = await Promise.all(own.map(async (entry) => ({ entry, found: await look(entry, wish) })));
  for (const { entry, found } of looked) {
    if (typeof found === "string") missing.push({ name: entry.name, toolset: entry.toolset, why: found });
    else tools.push(found);
  }
  return {
    tools: tools.toSorted(byName),
    missing: missing.toSorted(byName),
    unknown: unknownSets(wish.toolsets, entries, wish.announced),
  };
}

/** The entry with the face that it has here, or why it is not offered. */
async function look(entry: ToolEntry, wish: Wish): Promise<ToolEntry | string> {
  const by = wish.disabled.find((name) => inSet(entry, name));
  if (by !== undefined) return `agent.disabled_toolsets names ${by}`;
  if (!wish.toolsets.some((name) => inSet(entry, name))) return `not in ${wish.toolsets.join(", ")}`;
  const withheld = wish.withheld(entry);
  if (withheld !== undefined) return withheld;
  const shown = wish.profiles || entry.origin !== undefined ? entry : withoutProfiles(entry);
  if (entry.conditional !== true) return shown;
  const tool = await entry.load();
  const available = (await tool.available?.(wish)) ?? true;
  if (available !== true) return available;
  return { ...shown, ...(await tool.adapt?.(wish, shown.schema)) };
}

/** A parameter that asks for another profile is useless without one. A call that has it anyway is read as before. */
function withoutProfiles(entry: ToolEntry): ToolEntry {
  const { properties } = entry.schema;
  if (!isRecord(properties) || !Object.hasOwn(properties, "cross_profile")) return entry;
  const { cross_profile: _, ...others } = properties;
  return { ...entry, schema: { ...entry.schema, properties: others } };
}

const byName = (a: { readonly name: string }, b: { readonly name: string }) => (a.name < b.name ? -1 : 1);
