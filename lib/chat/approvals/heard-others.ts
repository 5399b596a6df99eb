import type { Log } from "../../base/log/log.js";
import type { ChatOrigin } from "../../contracts/board/notify.js";
import { isHook } from "../../contracts/board/platform-tag.js";
import type { MessageRecord, Transcript } from "../../contracts/chat/chat.js";
import type { ToolCall } from "../../contracts/models/model.js";
import { isForeign } from "../../tools/core/untrusted.js";
import type { TurnFacts } from "./turn-facts.js";

/** Record of the lineage: something of others was read in it. A compaction may have put it into other words. */
const RECORD = "heard_others";

/** What a conversation has read that others may have written, in all its turns. */
export interface HeardOthers {
  /** Something was read. Kept with the conversation. */
  note(): void;
  /** Why its model may act on words of others; undefined: it has not met any. */
  why(facts: TurnFacts): Promise<string | undefined>;
}

export interface HeardInput {
  readonly transcript: Pick<Transcript, "record" | "setRecord" | "messages">;
  readonly origin?: ChatOrigin;
  /** The conversation that sent this one to work gets its answer. */
  heardBy?(): Promise<void>;
}

/** Keep that a conversation has read what others wrote. */
export const keepHeard = (transcript: Pick<Transcript, "setRecord">): Promise<void> =>
  transcript.setRecord(RECORD, "true");

export function createHeardOthers({ transcript, origin, heardBy }: HeardInput, log: Log): HeardOthers {
  let keeping: Promise<void> | undefined;
  const keep = async () => {
    await keepHeard(transcript);
    await heardBy?.();
  };
  return {
    note: () => {
      keeping ??= keep().catch((error: unknown) =>
        log.warning("failed to keep what was read", { error: String(error) }),
      );
    },
    why: async (facts) => {
      await keeping;
      if (facts.untrusted) return "this turn has read what others wrote";
      if (origin !== undefined && isHook(origin.platform)) return "it comes through a webhook";
      const met = (await transcript.record(RECORD)) !== undefined || (await transcript.messages()).some(isOfOthers);
      return met ? "this conversation has read what others wrote" : undefined;
    },
  };
}

const isOfOthers = ({ role, toolName = "", toolCalls = [], content }: MessageRecord): boolean => {
  if (role === "assistant") return toolCalls.some(reachesOut);
  return (role === "tool" && isForeign(toolName)) || content.includes("<untrusted_tool_result ");
};

const PROGRAMS: ReadonlySet<string> = new Set(["terminal", "execute_code", "exec_command"]);
const ADDRESS = /\bhttps?:(?:\\?\/){2}([^/\\\s"'`)]+)/gi;
const THIS_MACHINE = /^(?:[^@]*@)?(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|0\.0\.0\.0)(?::\d+)?$/i;
const READERS = /\b(?:curl|wget|aria2c|lynx|w3m|links|xh|gh|glab)\s/;

/** A command or program that names an address elsewhere, or a program that reads pages: what it prints, others may have written. */
function reachesOut({ name, arguments: given }: ToolCall): boolean {
  if (!PROGRAMS.has(name)) return false;
  const hosts = [...given.matchAll(ADDRESS)].map(([, host = ""]) => host);
  return hosts.length === 0 ? READERS.test(given) : hosts.some((host) => !THIS_MACHINE.test(host));
}
