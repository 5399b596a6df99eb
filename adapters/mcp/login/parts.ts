import type { Home } from "../../../lib/base/home.js";
import type { Ids } from "../../../lib/base/ids.js";
import type { FileLockDeps } from "../../../lib/base/process/file-lock.js";
import type { Clock } from "../../../lib/base/time/clock.js";

/** Where a browser that was sent to log in comes back to: one path on this machine. `take` says what its page shows. */
export type ListenForLogin = (
  port: number,
  take: (query: URLSearchParams) => { readonly ok: boolean; readonly text: string },
) => Promise<{ readonly url: string; close(): Promise<void> }>;

/** What logins to MCP servers are made with. */
export interface McpLoginParts {
  readonly home: Pick<Home, "dir">;
  readonly clock: Clock;
  readonly ids: Pick<Ids, "token" | "hex">;
  readonly spawner: FileLockDeps["spawner"];
  readonly listen: ListenForLogin;
}
