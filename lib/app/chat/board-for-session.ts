import type { BoardSlug } from "../../base/units.js";
import { KANBAN } from "../../board/core/keys.js";
import { boardTools } from "../../board/core/tool-rules.js";
import { boardPort } from "../../board/worker-api/tool-methods.js";
import { TOOLSETS } from "../../chat/config/keys.js";
import type { BoardApi } from "../../contracts/board/api.js";
import type { NewSession, SessionRecord, SessionSource } from "../../contracts/chat/chat.js";
import type { Config } from "../../contracts/config/config.js";
import type { BoardPort, BoardToolMethod } from "../../tools/core/board-port.js";

/** Sources whose sessions have the board only when a toolset names it; everybody who talks to people has it (board part, 17.1). */
const WITHOUT_BOARD: ReadonlySet<SessionSource> = new Set(["cli", "cron", "subagent", "tool", "background", "worker"]);

/** The board as a chat session may use it, and the names of the board tools it sees. Workers have their own. */
export function boardForSession(
  board: BoardApi,
  session: Pick<SessionRecord, "id" | "profile">,
  options: NewSession,
  config: Config,
): { readonly port?: BoardPort; readonly tools: ReadonlySet<string> } {
  const named = options.toolsets?.includes("kanban") === true || config.get(TOOLSETS).includes("kanban");
  const toolsets = named || !WITHOUT_BOARD.has(options.source) ? ["kanban"] : [];
  const tools = boardTools({
    worker: undefined,
    toolsets,
    config,
    orchestrator: config.get(KANBAN.orchestratorProfile) || "default",
  });
  if (tools.length === 0) return { tools: new Set() };
  // The board is pinned when the session begins: switching boards elsewhere does not move it.
  const pinned = pin(board, options);
  pinned.catch(() => undefined); // the user of the board gets the error
  const actor = { kind: "agent", name: session.profile } as const;
  const own = { actor, session: session.id, tools, tenant: options.env["AGENT_TENANT"], origin: options.origin };
  const call = async (method: BoardToolMethod, params: Readonly<Record<string, unknown>>) => {
    return boardPort(board, { ...own, board: await pinned }).call(method, params);
  };
  return { port: { task: undefined, call }, tools: new Set(tools) };
}

async function pin(board: BoardApi, { env }: NewSession): Promise<BoardSlug> {
  return (await board.resolve({ env, writes: false })).board;
}
