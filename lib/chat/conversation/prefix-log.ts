import type { Log } from "../../base/log/log.js";
import type { SessionRecord } from "../../contracts/chat/chat.js";
import type { ToolEntry } from "../../tools/core/entry.js";

/** What stands before the messages of a request; as long as it is the same to the byte, a provider reads it from its cache. */
interface Prefix {
  readonly model: string;
  readonly system: string;
  readonly tools: readonly Pick<ToolEntry, "name" | "schema" | "description">[];
}

/** Names in one line of the log. */
const NAMES_MAX = 20;

/** Writes to the log why the beginning of a conversation's requests is not what it was: each time costs its user a cache. */
export function createPrefixLog(log: Log) {
  let before: { readonly prefix: Prefix; readonly session: SessionRecord["id"] } | undefined;
  return {
    sent(session: Pick<SessionRecord, "id">, prefix: Prefix): void {
      const last = before;
      before = { prefix, session: session.id };
      if (last === undefined) return;
      const causes = [...promptCause(last, before), ...toolsCause(last.prefix, prefix)];
      if (causes.length > 0)
        log.info("the beginning of a conversation's requests has changed", {
          session: session.id,
          cause: causes.join("; "),
        });
    },
  };
}

type Sent = { readonly prefix: Prefix; readonly session: SessionRecord["id"] };

function promptCause(last: Sent, { prefix, session }: Sent): readonly string[] {
  if (last.prefix.system === prefix.system) return [];
  if (last.session !== session) return ["compaction"];
  if (last.prefix.model !== prefix.model) return [`model ${prefix.model} instead of ${last.prefix.model}`];
  return ["the prompt was made anew"];
}

function toolsCause(last: Prefix, { tools }: Prefix): readonly string[] {
  const old = new Map(last.tools.map((tool) => [tool.name, tool]));
  const added = tools.filter(({ name }) => !old.has(name)).map(({ name }) => name);
  const names = new Set(tools.map(({ name }) => name));
  const removed = last.tools.filter(({ name }) => !names.has(name)).map(({ name }) => name);
  const changed = tools.filter((tool) => isOther(tool, old.get(tool.name))).map(({ name }) => name);
  const said = (what: string, list: readonly string[]) =>
    list.length === 0 ? [] : [`tools ${what}: ${list.slice(0, NAMES_MAX).join(", ")}`];
  return [...said("added", added), ...said("removed", removed), ...said("changed", changed)];
}

const isOther = (tool: Prefix["tools"][number], before: Prefix["tools"][number] | undefined): boolean =>
  before !== undefined &&
  before !== tool &&
  (before.description !== tool.description || JSON.stringify(before.schema) !== JSON.stringify(tool.schema));
