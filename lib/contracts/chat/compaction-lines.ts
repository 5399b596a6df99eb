import type { SessionId } from "../../base/units.js";
import type { CompactionEnded, CompactionStarted, CompactionUndone } from "./compact.js";

type Data = Readonly<Record<string, unknown>>;

/** Session in which a conversation continues after this event; undefined: the same one. */
export function segmentAfter(event: string, data: Data): SessionId | undefined {
  if (event !== "compaction.ended" && event !== "compaction.undone") return undefined;
  const id = data["new_session_id"];
  return typeof id === "string" ? (id as SessionId) : undefined; // the owner writes it from one
}

/** `65.2k`, `128k`, `940`. */
export function shortTokens(tokens: number): string {
  if (tokens < 1_000) return String(Math.round(tokens));
  return `${(tokens / 1_000).toFixed(1).replace(/\.0$/, "")}k`;
}

/** What front ends show for an event of a compaction, a line each; none for any other event (core part, 8.6). */
export function compactionLines(event: string, data: Data): readonly string[] {
  if (event === "compaction.started") return [startedLine(data as unknown as CompactionStarted)]; // the owner makes the event from one
  if (event === "compaction.ended") return endedLines(data as unknown as CompactionEnded); // as above
  if (event === "compaction.undone") return [undoneLine(data as unknown as CompactionUndone)]; // as above
  return [];
}

const startedLine = ({ tokens, window, messages }: CompactionStarted): string =>
  `Compacting: ${shortTokens(tokens)} of ${shortTokens(window)} tokens, ${messages} messages`;

function endedLines(data: CompactionEnded): readonly string[] {
  if (!data.ok) return [`Not compacted: ${data.error ?? "nothing was changed"}`];
  const { messages_before: before, messages_after: after, tokens_before: had, tokens_after: has } = data;
  const sizes = `${shortTokens(had)} → ${shortTokens(has)} tokens`;
  const whole = `Compacted ${before} messages to ${after} (${sizes}). Undo: /compress undo`;
  return [
    has > had
      ? `${whole}. There are fewer messages but more tokens: the summary is longer than what it replaced`
      : whole,
    ...(data.method === "local" ? ["It was made without a model and has less detail"] : []),
    ...(data.count > 1
      ? [`This conversation was compacted ${data.count} times; accuracy may degrade. /new starts a new one`]
      : []),
  ];
}

const undoneLine = (data: CompactionUndone): string =>
  `Compaction undone: ${data.messages_before} → ${data.messages_after} messages, ${shortTokens(data.tokens_before)} → ${shortTokens(data.tokens_after)} tokens`;
