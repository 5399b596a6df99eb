import type { PromptSourcePlace, SourcedPart } from "../contracts/chat/prompt-source.js";
import type { Config } from "../contracts/config/config.js";
import { MEMORY_ENABLED, MEMORY_USER_ENABLED } from "../contracts/memory/keys.js";
import type { MemoryApi, MemoryEntry, MemoryFileState, MemoryPlace } from "../contracts/memory/memory.js";
import { flagLines } from "../safety/redact/injection.js";
import { FLAGGED_NOTE } from "../tools/run/read.js";
import { SEPARATOR } from "./entry-text.js";

/** Tokens of all that is remembered in a prompt, headings and all; a token is four characters, roughly. */
const TOKENS = 600;
const CHARS = TOKENS * 4;
const RULE = "=".repeat(40);

export interface BlockDeps {
  readonly config: Pick<Config, "get">;
  readonly memory: Pick<MemoryApi, "seen" | "read">;
}

interface Group {
  readonly name: string;
  readonly title: string;
  readonly state: MemoryFileState;
}

/**
 * What a new conversation is given of the memory (core part, 30): entries whose scope matches, the most recently used ones first until the room is
 * used up. Written once; a write changes the prompts of later conversations only.
 */
export async function memoryParts(
  given: PromptSourcePlace,
  { config, memory }: BlockDeps,
): Promise<readonly SourcedPart[]> {
  const { cwd, env, board, tools } = given;
  const place: MemoryPlace = { cwd, env, ...(board === undefined ? {} : { board }) };
  const groups = (await groupsAt(place, memory)).filter(({ state }) =>
    config.get(state.target === "user" ? MEMORY_USER_ENABLED : MEMORY_ENABLED),
  );
  const entries = (await memory.seen(place)).filter((entry) => groups.some((group) => isIn(entry, group)));
  if (entries.length === 0) return [];
  const shown = thatFit(entries, groups);
  const left = entries.length - shown.size;
  const blocks = groups.flatMap((group) => {
    const own = group.state.entries.flatMap((text) =>
      entries.filter((entry) => shown.has(entry.id) && entry.text === text && isIn(entry, group)),
    );
    return own.length === 0 ? [] : [{ name: group.name, tier: "volatile" as const, text: blockOf(group, own) }];
  });
  return [
    ...blocks,
    ...(left === 0 ? [] : [{ name: "memory: more", tier: "volatile" as const, text: more(left, tools) }]),
  ];
}

async function groupsAt(place: MemoryPlace, memory: BlockDeps["memory"]): Promise<readonly Group[]> {
  const states = [...(await memory.read("memory", place)), ...(await memory.read("user", place))];
  return states.map((state) => ({ state, ...titleOf(state) }));
}

function titleOf({ target, scope }: MemoryFileState): Omit<Group, "state"> {
  if (target === "user") return { name: "user profile", title: "USER PROFILE (who the user is)" };
  if (scope === "project") return { name: "memory: project", title: "MEMORY of this project" };
  if (scope === "board") return { name: "memory: board", title: "MEMORY of this board" };
  return { name: "memory", title: "MEMORY (your personal notes)" };
}

const groupOf = ({ target, scope }: Pick<MemoryEntry, "target" | "scope">): string =>
  `${target} ${scope === "project" || scope === "board" ? scope : "home"}`;

const isIn = (entry: MemoryEntry, { state }: Group): boolean => groupOf(entry) === groupOf(state);

const head = ({ title, state }: Group): string => `${RULE}\n${title} [${state.usage}]\n${RULE}\n`;

/** Ids of the entries that there is room for. One that is too long leaves its place to shorter ones. */
function thatFit(entries: readonly MemoryEntry[], groups: readonly Group[]): ReadonlySet<string> {
  const shown = new Set<string>();
  const begun = new Set<Group>();
  let room = CHARS - more(entries.length, ["memory"]).length - FLAGGED_NOTE.length;
  for (const entry of entries) {
    const group = groups.find((one) => isIn(entry, one));
    if (group === undefined) continue;
    const takes = shownText(entry).length + SEPARATOR.length + (begun.has(group) ? 0 : head(group).length + 2);
    if (takes > room) continue;
    room -= takes;
    begun.add(group);
    shown.add(entry.id);
  }
  return shown;
}

const shownText = ({ text }: MemoryEntry): string => flagLines(text).text;

function blockOf(group: Group, entries: readonly MemoryEntry[]): string {
  const texts = entries.map(shownText);
  const flagged = entries.some((entry, at) => entry.text !== texts[at]);
  return `${head(group)}${texts.join(SEPARATOR)}${flagged ? `\n${FLAGGED_NOTE}` : ""}`;
}

const more = (left: number, tools: readonly string[]): string =>
  `${left} more ${left === 1 ? "entry is" : "entries are"} remembered${tools.includes("memory") ? "; memory {action: search, query} finds them" : ""}.`;
