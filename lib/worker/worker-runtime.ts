import { AppError } from "../base/errors.js";
import { exists } from "../base/fs/home-files.js";
import { WORKER_GUIDANCE } from "../board/worker-api/worker-guidance.js";
import { TRACE_MARK } from "../board/worker-process/runner-files.js";
import type { ConversationDeps } from "../chat/conversation/conversation.js";
import type { AgentRuntime, RuntimeHost, RuntimeParts } from "../contracts/runtimes/runtime.js";
import type { Models } from "../models/select.js";
import { openRuntime, vendorRoute } from "../runtime/runtimes.js";
import { readWorkerProgram } from "../runtime/worker-program.js";
import type { Spending } from "./worker-state.js";

/** Where the program of a worker writes, and what counts what it does and uses. */
export interface WorkerRuntimePlace {
  /** Workspace and attachments of its task. */
  readonly writable: readonly string[];
  readonly path: string | undefined;
  /** Where the key of the app-server is looked up. */
  readonly models: Pick<Models, "route">;
  readonly activity: () => void;
  readonly spending: Pick<Spending, "told">;
  /** One line for the task log. */
  readonly trace: (line: string) => void;
}

/**
 * What opens the program that the profile's settings name for its board tasks; undefined: the loop of this product works them.
 *
 * @throws E_CONFIG when the program is missing
 */
export function workerRuntime(parts: RuntimeParts, place: WorkerRuntimePlace): ConversationDeps["runtimeFor"] {
  const { id, problem } = readWorkerProgram(parts.config, place.path);
  if (problem !== undefined)
    throw new AppError("E_CONFIG", `${problem}; install the program, or set worker.program: native`);
  if (id === "native") return undefined;
  place.trace(`${TRACE_MARK}program ${id}`);
  return async ({ cwd, env, tools }) => {
    // A sandbox cannot be made with a directory that is not there.
    const worker = { writable: place.writable.filter((dir) => exists(dir)) };
    const vendor = id === "app-server" ? await vendorRoute(place.models) : {};
    const opened = await openRuntime(parts, { id, place: { cwd, env, worker, ...vendor }, tools });
    return opened === undefined ? undefined : { ...opened, program: guided(opened.program, place) };
  };
}

type Watching = Pick<WorkerRuntimePlace, "activity" | "spending">;

/** The program; each thread of it begins with the guidance for workers. Every event of it keeps the claim alive. */
function guided(program: AgentRuntime, watching: Watching): AgentRuntime {
  return {
    steer: (text) => program.steer(text),
    close: () => program.close(),
    turn: (turn, host, signal) => {
      const history = async () => {
        const before = await turn.history();
        return before === undefined ? WORKER_GUIDANCE : `${WORKER_GUIDANCE}\n\n${before}`;
      };
      return program.turn({ ...turn, history }, watched(host, watching), signal);
    },
  };
}

/** Our tools that end a task, as programs name them: `mcp.agent-tools.kanban_complete`. */
const ENDS = /\bkanban_(complete|block)$/;

/** The host of a turn, with its events counted as activity and its tokens spent as they arrive. */
function watched(host: RuntimeHost, { activity, spending }: Watching): RuntimeHost {
  /** Calls under way that end the task: tokens that are used up do not block it before. */
  const ending = new Set<string>();
  return {
    ...host,
    item: (item) => {
      activity();
      return host.item(item);
    },
    live: (event) => {
      activity();
      if (event.kind === "call" && ENDS.test(event.tool)) ending.add(event.callId);
      if (event.kind === "called") ending.delete(event.callId);
      host.live(event);
    },
    usage: (usage, window) => {
      activity();
      spending.told(usage, ending.size === 0);
      host.usage(usage, window);
    },
  };
}
