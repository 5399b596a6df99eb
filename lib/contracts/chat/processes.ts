/** Background processes of conversations (core part, 1.3, 1.4 and 17.5). */
import type { Ms, SessionId } from "../../base/units.js";

export interface ProcessInfo {
  readonly id: string;
  readonly session_id: SessionId;
  readonly command: string;
  readonly pid: number;
  readonly status: "running" | "exited";
  readonly uptime_ms: Ms;
  readonly exit_code: number | null;
  /** `completed`, `exited`, `terminated`. */
  readonly reason: string | null;
}

export interface ProcessesApi {
  /** Processes of a session's lineage, oldest first; those that ended are kept for a while. */
  processes(session: SessionId): Promise<readonly ProcessInfo[]>;
  /** Its newest output, redacted, at most 200,000 characters. @throws E_NOT_FOUND */
  processLog(session: SessionId, id: string): Promise<string>;
  /** End it with everything that it started. False: it had ended. @throws E_NOT_FOUND */
  processKill(session: SessionId, id: string): Promise<boolean>;
}
