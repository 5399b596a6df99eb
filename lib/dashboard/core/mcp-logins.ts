import { AppError } from "../../base/errors.js";
import type { McpApi } from "../../contracts/mcp/mcp.js";

/** Logins to MCP servers that were begun on the page and wait for a browser. */
export interface McpLogins {
  /** Resolves with the address to go to; the login then waits for it. A login of the same server that waits ends. @throws what the login threw before */
  start(mcp: Pick<McpApi, "login">, name: string): Promise<string>;
  /** Give all of them up. */
  close(): void;
}

/** Servers that are logged in to at once. */
const OPEN_MAX = 4;

export function createMcpLogins(): McpLogins {
  const open = new Map<string, AbortController>();
  const given = () => new AppError("E_INTERRUPTED", "login cancelled; nothing stored");
  return {
    start: (mcp, name) => {
      open.get(name)?.abort(given());
      if (open.size >= OPEN_MAX && !open.has(name))
        throw new AppError("E_BUSY", `too many logins are waiting (limit ${OPEN_MAX}); finish one first`);
      const gone = new AbortController();
      open.set(name, gone);
      return new Promise((resolve, reject) => {
        const done = () => {
          if (open.get(name) === gone) open.delete(name);
        };
        mcp.login(name, { open: async (url) => resolve(url) }, gone.signal).then(
          () => {
            done();
            reject(new AppError("E_STATE", `${name} needed no login`)); // harmless once the address is known
          },
          (error: unknown) => {
            done();
            reject(error); // after the address is known the state of the server says what went wrong
          },
        );
      });
    },
    close: () => {
      for (const gone of open.values()) gone.abort(given());
    },
  };
}
