import { AppError } from "../base/errors.js";
import type { Spawner } from "../base/process/spawn.js";
import type { Clock } from "../base/time/clock.js";
import type { SessionId } from "../base/units.js";
import type { ProcessesApi, ProcessInfo } from "../contracts/chat/processes.js";
import { type Background, endBackgroundProcess, type Processes } from "../tools/shell/registry.js";
import type { SessionStores } from "./sessions/session-stores.js";
import type { LineageResources } from "./transcript/lineage-resources.js";

interface ProcessDeps {
  readonly stores: SessionStores;
  readonly resources: LineageResources;
  readonly ports: { readonly clock: Clock; readonly spawner: Spawner };
}

/** Background processes as front ends see and end them. */
export function createProcesses({ stores, resources, ports }: ProcessDeps): ProcessesApi {
  const all = async (session: SessionId): Promise<ReadonlyMap<string, Background>> => {
    const root = (await (await stores.of(session)).sessions.get(session))?.lineage_root ?? session;
    return (resources.peek(root, "process") as Processes | undefined)?.all ?? new Map<string, Background>(); // the process tool puts it there
  };
  const one = async (session: SessionId, id: string): Promise<Background> => {
    const found = (await all(session)).get(id);
    if (found) return found;
    throw new AppError("E_NOT_FOUND", `session ${session} does not have background process ${id}`, {
      session,
      process: id,
    });
  };
  return {
    processes: async (session) =>
      [...(await all(session)).values()].map((found) => shownProcess(found, session, ports.clock.mono())),
    processLog: async (session, id) => (await one(session, id)).output,
    processKill: async (session, id) => {
      const found = await one(session, id);
      if (found.exitCode !== undefined) return false;
      found.endedBy ??= "user";
      await endBackgroundProcess(ports.spawner, found);
      return true;
    },
  };
}

/** As front ends see it. */
export function shownProcess(one: Background, session: SessionId, now: number): ProcessInfo {
  return {
    id: one.id,
    session_id: session,
    command: one.command,
    pid: one.child.pid,
    status: one.exitCode === undefined ? "running" : "exited",
    uptime_ms: Math.round((one.endedAt ?? now) - one.startedAt),
    exit_code: one.exitCode ?? null,
    reason: one.reason ?? null,
  };
}
