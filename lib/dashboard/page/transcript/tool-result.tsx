import { formatSpan } from "../words/time.js";
import { argumentText, resultLine } from "./arguments.js";
import type { Message } from "./state.js";

/** What a call has given: its first line, and all of it on a press. */
export function ToolResult({
  message: { tool_name, status, duration_ms = 0, content, truncated },
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
      <pre class="data">{argumentText(content)}</pre>
      {truncated === true && <p class="soft">The rest is longer than what is shown here.</p>}
    </details>
  );
}
