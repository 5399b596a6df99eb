import { span } from "../words/time.js";
import type { Message } from "./state.js";

const LINE_CHARS = 140;

/** What a call has given: its first line, and all of it on a press. */
export function ToolResult({ message: { toolName, status, durationMs, content, truncated } }: { message: Message }) {
  const first = content.trimStart().split("\n", 1)[0] ?? "";
  const bad = status !== undefined && status !== "ok";
  return (
    <details class="call">
      <summary>
        <code>{toolName ?? "tool"}</code>
        <span class={`chip ${bad ? "chip-bad" : ""}`}>{status ?? "ok"}</span>
        {durationMs !== undefined && durationMs >= 1000 && <span class="soft"> {span(durationMs / 1000)}</span>}{" "}
        <span class="soft">{first.length > LINE_CHARS ? `${first.slice(0, LINE_CHARS)}…` : first}</span>
      </summary>
      <pre class="data">{content}</pre>
      {truncated === true && <p class="soft">The rest is longer than what is shown here.</p>}
    </details>
  );
}
