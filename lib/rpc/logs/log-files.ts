import { join } from "node:path";
import type { LogLines } from "../../base/log/log-lines.js";
import type { LogParts } from "../../base/log/log-parts.js";
import type { BoardSlug, SessionId, TaskId } from "../../base/units.js";
import type { BoardPlaces } from "../../board/core/places.js";
import { rangeOf } from "../../board/queries/heads.js";
import type { Run } from "../../contracts/board/board.js";
import type { LogFilter, LogSource } from "../../contracts/ui/log-lines.js";

/** What logs are read from. */
export interface LogSources {
  /** Directory of the owner's logs. */
  readonly logs: string;
  readonly lines: LogLines;
  readonly board: {
    places(board: BoardSlug): Promise<BoardPlaces>;
    /** Runs of a task, oldest first. @throws E_NOT_FOUND */
    runs(board: BoardSlug, task: TaskId): Promise<readonly Run[]>;
  };
  /** Newest output of a background process. @throws E_NOT_FOUND */
  processLog(session: SessionId, id: string): Promise<string>;
  /** Let others be heard. */
  rest(): Promise<void>;
}

/** A log that lies in a file. */
export interface LogFile {
  readonly path: string;
  range?(log: LogParts): { readonly from: number; readonly to: number } | undefined;
  /** The owner of this process writes it, and tells its lines by itself. */
  readonly told: boolean;
  /** Number of the run whose part it is. */
  readonly run?: number;
}

const FILES: Readonly<
  Record<Exclude<LogSource, "run" | "process">, { readonly name: string; readonly told: boolean }>
> = {
  owner: { name: "agent.log", told: true },
  board: { name: "agent.log", told: true },
  errors: { name: "errors.log", told: true },
  gateway: { name: "gateway.log", told: false },
  mcp: { name: "mcp-stderr.log", told: false },
};

/** Where a source lies; undefined for what is in no file, or was not named. @throws E_NOT_FOUND unknown task */
export async function logFile({ logs, board }: LogSources, filter: LogFilter): Promise<LogFile | undefined> {
  const { source, run } = filter;
  if (source === "process") return undefined;
  if (source !== "run") {
    const { name, told } = FILES[source];
    return { path: join(logs, name), told };
  }
  if (run === undefined) return undefined;
  const slug = run.board as BoardSlug;
  const task = run.task as TaskId; // proved by the look-up of its runs
  const ids = (await board.runs(slug, task)).map((one): number => one.id);
  const { log } = await board.places(slug);
  return { path: log(task), range: (parts) => rangeOf(parts, run.id, ids), told: false, run: run.id };
}
