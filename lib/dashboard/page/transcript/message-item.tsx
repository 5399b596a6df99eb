import type { ToolCall } from "../../../contracts/models/model.js";
import { pictureLines } from "../../../contracts/wire/picture-lines.js";
import { Markdown } from "../markdown-view.js";
import { formatInstant, formatSpan } from "../words/time.js";
import { argumentLine, argumentText, resultLine } from "./arguments.js";
import { MessagePictures } from "./message-pictures.js";
import type { Message, TranscriptNotice } from "./state.js";

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

/** One message, and the notices behind it. */
export function MessageItem({ message, notices }: MessageProps) {
  return (
    <>
      <li class={`message message-${message.role}`}>
        {message.role === "tool" ? <ToolResult message={message} /> : <Said message={message} />}
        <MessagePictures message={message} />
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
  const name = kind === "summary" ? "Summary of earlier messages" : kind === "note" ? "Note" : SPEAKERS[role];
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
      {truncated === true && <p class="soft">Truncated.</p>}
      {calls !== undefined && <CallList calls={calls} />}
    </>
  );
}

/** Calls that the model has asked for; each can be unfolded. */
function CallList({ calls }: { calls: readonly ToolCall[] }) {
  return (
    <>
      {calls.map((call) => (
        <details key={call.id} class="call">
          <summary>
            <code>{call.name}</code> <span class="soft">{argumentLine(call.arguments)}</span>
          </summary>
          <pre class="data">{argumentText(call.arguments)}</pre>
        </details>
      ))}
    </>
  );
}

/** What a call has given: its first line, and all of it on a press. */
function ToolResult({
  message: { tool_name, status, duration_ms = 0, content, truncated, pictures },
}: {
  message: Message;
}) {
  const bad = status !== undefined && status !== "ok";
  return (
    <details class="call">
      <summary>
        <code>{tool_name ?? "tool"}</code> <span class={`chip ${bad ? "chip-bad" : ""}`}>{status ?? "ok"}</span>
        {duration_ms >= 1000 && <span class="soft"> {formatSpan(duration_ms / 1000)}</span>}{" "}
        <span class="soft">{resultLine(content)}</span>
      </summary>
      <pre class="data">{[argumentText(content), ...pictureLines(pictures, String)].join("\n")}</pre>
      {truncated === true && <p class="soft">Truncated.</p>}
    </details>
  );
}
