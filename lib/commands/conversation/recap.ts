import type { MessageRecord, SessionRecord } from "../../contracts/chat/chat.js";
import type { CommandContext } from "../define.js";

/** Core part, 11.4. */
const EXCHANGES = 10;
const USER_CHARS = 300;
const ANSWER_CHARS = 200;
const ANSWER_LINES = 3;
const LOOKED_AT = 200;

/** What a resumed conversation was about: its last exchanges, and what is not as it was recorded. */
export async function recap(session: SessionRecord, recorded: SessionRecord, ctx: CommandContext): Promise<string> {
  const messages = await ctx.chat.messages(session.id, { limit: LOOKED_AT });
  return [
    `Resumed ${session.id}  ${session.title ?? "(untitled)"}`,
    ...differences(session, recorded),
    ...exchanges(messages),
  ].join("\n");
}

/** Recorded model and directory are not forced; a difference is reported. */
export function differences(session: SessionRecord, recorded: SessionRecord): readonly string[] {
  const moved = session.cwd === recorded.cwd ? [] : [`It was in ${recorded.cwd}; it continues in ${session.cwd}.`];
  const other = session.id === recorded.id ? [] : [`${recorded.id} was continued as ${session.id}.`];
  return [...other, ...moved];
}

/** The last exchanges, texts cut; turns in which only tools spoke are left out. */
function exchanges(messages: readonly MessageRecord[]): readonly string[] {
  const lines: { user: string; answer: string }[] = [];
  for (const message of messages) {
    if (message.kind !== undefined) continue; // written by compaction
    if (message.role === "user") lines.push({ user: message.content, answer: "" });
    const last = lines.at(-1);
    if (message.role === "assistant" && message.content !== "" && last !== undefined) last.answer = message.content;
  }
  return lines
    .filter(({ answer }) => answer !== "")
    .slice(-EXCHANGES)
    .flatMap(({ user, answer }) => [
      `> ${cut(user.replace(/\s+/g, " "), USER_CHARS)}`,
      cut(answer.split("\n").slice(0, ANSWER_LINES).join("\n"), ANSWER_CHARS),
    ]);
}

function cut(text: string, chars: number): string {
  const points = Array.from(text.slice(0, chars * 2 + 2));
  return points.length > chars ? `${points.slice(0, chars).join("")}…` : text;
}
