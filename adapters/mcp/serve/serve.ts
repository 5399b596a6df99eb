import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Log } from "../../../lib/base/log/log.js";
import type { ServedAgent } from "../../../lib/contracts/mcp/served.js";
import { addTools } from "./tools.js";

export interface ServeDeps {
  readonly agent: ServedAgent;
  readonly version: string;
  readonly log: Log;
  /** Aborts when the process is to end. */
  readonly signal: AbortSignal;
}

const INSTRUCTIONS =
  "Conversations of this agent on messaging platforms: list and read them, wait for events, send messages, and answer open approvals.";

/**
 * Serve the agent to the client at the other end of standard input and output, in both eras of the protocol. Resolves when the client has closed
 * its end or the signal aborts. Nothing else may write to standard output meanwhile.
 */
export async function serveAgent({ agent, version, log, signal }: ServeDeps): Promise<void> {
  const transport = new StdioServerTransport();
  const made = () => {
    const server = new McpServer({ name: "agent", version }, { instructions: INSTRUCTIONS });
    addTools(server, agent, log);
    return server;
  };
  const onerror = (error: Error) => log.warning("a message could not be handled", { error: error.message });
  const handle = serveStdio(made, { transport, onerror });
  const closed = new Promise<void>((resolve) => {
    const entry = transport.onclose; // of `serveStdio`, which has to hear of it as well
    transport.onclose = () => {
      entry?.();
      resolve();
    };
  });
  const stop = () => handle.close().catch((error: unknown) => log.warning("closing failed", { error: String(error) }));
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) await stop();
  await closed;
  signal.removeEventListener("abort", stop);
}
