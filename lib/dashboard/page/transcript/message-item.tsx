import { Markdown } from "../markdown-view.js";
import { formatInstant } from "../words/time.js";
import { CallList } from "./call-list.js";
import type { Message, TranscriptNotice } from "./state.js";
import { ToolResult } from "./tool-result.js";

interface MessageProps {
  message: Message;
  notices: readonly TranscriptNotice[];
}

const SPEAKERS: Readonly<Record<Message["role"], string>> = {
  user: "User",
  assistant: "Agent",
  tool: "Tool",
  system: "System",
};

/** One message, and what was told behind it. */
export function MessageItem({ message, notices }: MessageProps) {
  return (
    <>
      <li class={`message message-${message.role}`}>
        {message.role === "tool" ? <ToolResult message={message} /> : <Said message={message} />}
      </li>
      {notices.map((notice) => (
        <li key={`${notice.behind} ${notice.text}`} class={`notice notice-${notice.level}`}>
          {notice.text}
        </li>
      ))}
    </>
  );
}

/** What a person typed is shown as it was typed; everything else is Markdown. */
const isTyped = ({ role, kind }: Message): boolean => role === "user" && kind !== "summary" && kind !== "note";

function Said({ message }: { message: Message }) {
  const { role, kind, content, reasoning, tool_calls: calls, truncated, created_at } = message;
  const name = kind === "summary" ? "Summary of what was before" : kind === "note" ? "Note" : SPEAKERS[role];
  return (
    <>
      <div class="message-head">
        <strong>{name}</strong>
        <time class="soft">{formatInstant(Date.parse(created_at) / 1000)}</time>
      </div>
      {reasoning !== undefined && reasoning !== "" && (
        <details class="reasoning">
          <summary>Thinking</summary>
          <Markdown text={reasoning} />
        </details>
      )}
      {content !== "" && (isTyped(message) ? <div class="md-plain">{content}</div> : <Markdown text={content} />)}
      {truncated === true && <p class="soft">The rest is longer than what is shown here.</p>}
      {calls !== undefined && <CallList calls={calls} />}
    </>
  );
}
