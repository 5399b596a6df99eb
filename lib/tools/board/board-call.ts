import { toAppError } from "../../base/errors.js";
import type { BoardToolMethod } from "../core/board-port.js";
import type { ToolContext, ToolResult } from "../core/define.js";

/** Calls that end the run of a worker once they are accepted. */
const TERMINAL: ReadonlySet<BoardToolMethod> = new Set(["complete", "block"]);

/** Carry out a board tool; whatever goes wrong is an answer that the model reads. */
export async function runBoardTool(
  method: BoardToolMethod,
  params: Readonly<Record<string, unknown>>,
  ctx: ToolContext,
): Promise<ToolResult> {
  const { board } = ctx;
  if (board === undefined) return failed("the task board is not available in this conversation", "E_NOT_OWNER");
  const given = Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined));
  try {
    const answer = await board.call(method, given);
    const ends = TERMINAL.has(method) && board.task !== undefined;
    return { text: JSON.stringify(answer), ...(ends ? { endsRun: true } : {}) };
  } catch (thrown) {
    const error = toAppError(thrown);
    if (error.code === "E_INTERNAL")
      ctx.log.error("board tool failed", { tool: `kanban_${method}`, error: error.message });
    return failed(error.message, error.code);
  }
}

const failed = (error: string, code: string): ToolResult => ({
  text: JSON.stringify({ error, code }),
  status: "error",
});
