import type { ToolCall } from "../../contracts/models/model.js";

import type { PagedMessage } from "../../contracts/wire/shapes/session-page.js";
import type { MessageJson } from "../../contracts/wire/shapes/sessions.js";
import { toScreenLine } from "../../safety/redact/text.js";
import { visible } from "../../safety/shell/visible.js";
import type { ToolRegistry } from "../../tools/registry/tool-registry.js";

/** Characters of the line that announces a call. */
const MOST = 120;

/** What makes the lines. */
export interface PreviewParts {
  tools(): Promise<Pick<ToolRegistry, "find">>;
  redact(text: string): string;
}

/** Stored messages with the line that announced each of their calls: a call that is read looks as it did when it ran. */
export function addCallPreviews(
  messages: readonly MessageJson[],
  { tools, redact }: PreviewParts,
): Promise<readonly PagedMessage[]> {
  return Promise.all(
    messages.map(async (message) => {
      const calls = message.tool_calls ?? [];
      if (calls.length === 0) return message;
      const previews = await Promise.all(
        calls.map(async (call) => [call.id, await findPreview(call, await tools())] as const),
      );
      return {
        ...message,
        call_previews: Object.fromEntries(
          previews.flatMap(([id, preview]) => (preview === undefined ? [] : [[id, redact(preview)]])),
        ),
      };
    }),
  );
}

/** Undefined: the tool no longer exists, or does not take such a call. */
async function findPreview(
  { name, arguments: text }: ToolCall,
  tools: Pick<ToolRegistry, "find">,
): Promise<string | undefined> {
  const tool = await tools.find(name)?.load();
  if (tool === undefined) return undefined;
  try {
    const params = tool.params.safeParse(JSON.parse(text));
    return params.success ? toScreenLine(visible(tool.preview(params.data)), MOST) : undefined;
  } catch {
    return undefined; // ok to lose: the screen shows the arguments then
  }
}
