import { runCleanupsTogether } from "../base/async/cleanup.js";
import { createRunningWork } from "../base/async/running-work.js";
import type { Log } from "../base/log/log.js";
import type { SessionId } from "../base/units.js";
import type { Calls } from "./calls.js";
import type { Server } from "./server/server.js";

/** Sessions with connections of their own that are kept at once; the one that called longest ago goes first. */
const SESSIONS = 32;

/** A server with the calls that run at it. */
export interface CalledServer {
  readonly server: Server;
  readonly calls: Calls;
}

/** The connections of a server that sessions do not share. */
export interface ServersBySession {
  /** The session's own, made with its first call. */
  get(session: SessionId): CalledServer;
  all(): readonly CalledServer[];
  /** None is left afterwards, those that made room for others among them. */
  stop(): Promise<void>;
}

/** No session has a connection yet. @param create one that is not connected */
export function createServersBySession(create: () => CalledServer, log: Log): ServersBySession {
  const bySession = new Map<SessionId, CalledServer>();
  const ending = createRunningWork();
  const all = (): readonly CalledServer[] => [...bySession.values()];
  const end = ({ server }: CalledServer): void => {
    ending
      .add(server.stop())
      .catch((error: unknown) =>
        log.warning("an MCP server was not stopped", { server: server.name, error: String(error) }),
      );
  };
  return {
    get: (session) => {
      const found = bySession.get(session) ?? create();
      bySession.delete(session);
      bySession.set(session, found);
      const [oldest] = bySession;
      if (bySession.size > SESSIONS && oldest !== undefined) {
        bySession.delete(oldest[0]);
        end(oldest[1]);
      }
      return found;
    },
    all,
    stop: () => runCleanupsTogether([...all().map(({ server }) => server.stop), ending.settled]),
  };
}
