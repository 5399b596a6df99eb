import type { SessionId } from "../base/units.js";

/** Sessions whose directories servers learn; the one that called a server longest ago goes first. */
const SESSIONS = 64;

/** The directories of the sessions that use servers, as servers learn them (`roots`). */
export interface SessionDirectories {
  /** The session calls a server while it works in this directory. @returns whether no session was there before */
  note(session: SessionId, directory: string): boolean;
  all(): readonly string[];
}

/** No session has called a server yet. */
export function createSessionDirectories(): SessionDirectories {
  const bySession = new Map<SessionId, string>();
  const all = (): readonly string[] => [...new Set(bySession.values())];
  return {
    note: (session, directory) => {
      const isNew = !all().includes(directory);
      bySession.delete(session);
      bySession.set(session, directory);
      const [oldest] = bySession.keys();
      if (bySession.size > SESSIONS && oldest !== undefined) bySession.delete(oldest);
      return isNew;
    },
    all,
  };
}
