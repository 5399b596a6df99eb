import type { SessionId } from "../../base/units.js";

/** A server that a front end brings, and what is wrong with it; `null`: nothing so far. */
export interface BroughtServer {
  readonly name: string;
  readonly problem: string | null;
}

/** Servers that front ends bring for their sessions: each serves that session only, and ends with it. */
export interface BringServers {
  /**
   * Start the servers of a lineage in place of those that it had.
   *
   * @param servers entries as in `mcp_servers`, by name
   * @param gone aborts when the front end is gone
   * @returns what cannot be used
   */
  start(
    lineage: SessionId,
    servers: ReadonlyMap<string, unknown>,
    gone: AbortSignal,
  ): Promise<readonly BroughtServer[]>;
  /** Once the tools of its servers are known, or cannot be had, or the wait of the settings is over. */
  status(lineage: SessionId, signal: AbortSignal): Promise<readonly BroughtServer[]>;
}
