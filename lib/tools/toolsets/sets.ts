import { PLATFORM_TAGS } from "../../contracts/board/platform-tag.js";
import type { ToolEntry } from "../core/entry.js";

/** A set that is made of others. */
interface Composite {
  /** Names of sets; `*` is every tool. */
  readonly of: readonly string[];
  /** Sets that are taken out again. */
  readonly without?: readonly string[];
  /** Single tools. */
  readonly tools?: readonly string[];
}

/** Composite sets, and the presets of front ends (core part, 16.1). */
const COMPOSITES: ReadonlyMap<string, Composite> = new Map<string, Composite>([
  ["search", { of: [], tools: ["web_search"] }],
  ["debugging", { of: ["terminal", "file", "web"] }],
  ["safe", { of: ["web", "vision", "image_gen"] }],
  [
    "coding",
    { of: ["file", "terminal", "todo", "session_search", "clarify", "delegation", "code_execution", "skills"] },
  ],
  ["agent-cli", { of: ["*"] }],
  ["agent-gateway", { of: ["*"] }],
  ["agent-acp", { of: ["*"], without: ["clarify", "tts", "cronjob"] }],
  ["agent-api-server", { of: ["*"], without: ["clarify", "messaging"] }],
  ["agent-cron", { of: ["*"], without: ["clarify", "cronjob"] }],
  ...PLATFORM_TAGS.map((tag): [string, Composite] => [`agent-${tag}`, { of: ["*"] }]),
]);

/** The tools that stand for those which are looked up first. They come and go with them and are in no set. */
export const BRIDGE_SET = "tool_search";

type Facts = Pick<ToolEntry, "name" | "toolset">;

/** One set with the tools in it. */
export interface Toolset {
  readonly name: string;
  readonly kind: "set" | "composite" | "preset";
  readonly tools: readonly string[];
}

/** Every set that has at least one of these tools, plain ones first, each kind by name. */
export function toolsetsOf(entries: readonly Facts[]): readonly Toolset[] {
  const offered = entries.filter((entry) => entry.toolset !== BRIDGE_SET);
  const plain = [...new Set(offered.map((entry) => entry.toolset))]
    .toSorted()
    .map((name) => ({ name, kind: "set" as const }));
  const made = [...COMPOSITES.keys()]
    .toSorted()
    .map((name) => ({ name, kind: name.startsWith("agent-") ? ("preset" as const) : ("composite" as const) }));
  const kinds = ["set", "composite", "preset"];
  return [...plain, ...made]
    .toSorted((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind))
    .map((set) => ({ ...set, tools: offered.filter((entry) => inSet(entry, set.name)).map((entry) => entry.name) }))
    .filter((set) => set.tools.length > 0);
}

/** A tool is in the set of this name, whatever the kind of the set. */
export function inSet(entry: Facts, name: string): boolean {
  if (entry.toolset === BRIDGE_SET) return false;
  const composite = COMPOSITES.get(name);
  if (composite === undefined) return entry.toolset === name;
  if (composite.without?.includes(entry.toolset)) return false;
  return (
    composite.of.some((inner) => inner === "*" || inner === entry.toolset) ||
    composite.tools?.includes(entry.name) === true
  );
}

/** Names that mean no set of these tools and are not among the `announced`, in the order given. */
export function unknownSets(
  names: readonly string[],
  entries: readonly Facts[],
  announced: readonly string[] = [],
): readonly string[] {
  return names.filter((name) => !announced.includes(name) && !entries.some((entry) => inSet(entry, name)));
}
