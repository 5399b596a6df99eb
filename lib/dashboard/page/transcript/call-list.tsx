import type { ToolCall } from "../../../contracts/models/model.js";
import { argumentLine, argumentText } from "./arguments.js";

/** Calls that the model has asked for; each can be unfolded. */
export function CallList({ calls }: { calls: readonly ToolCall[] }) {
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
