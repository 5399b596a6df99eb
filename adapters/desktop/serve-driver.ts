import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import type { DriverBackend } from "./driver-backend.js";
import { addDriverTools } from "./driver-tools.js";

export interface ServedDriver {
  readonly backend: DriverBackend;
  readonly version: string;
  /** Told of each call before it is done. */
  readonly called?: (tool: string, args: Readonly<Record<string, unknown>>) => Promise<void>;
  /** Aborts when the process is to end. */
  readonly signal: AbortSignal;
  /** What cannot be sent to the client. */
  readonly failed: (error: Error) => void;
}

/** Serve a driver on standard input and output. Resolves when the client has closed its end or the signal aborts. */
export async function serveDriver({ backend, version, called, signal, failed }: ServedDriver): Promise<void> {
  const transport = new StdioServerTransport();
  const made = () => {
    const server = new McpServer({ name: `agent-computer-use-${backend.name}`, version });
    addDriverTools(server, backend, called ?? (async () => undefined));
    return server;
  };
  const handle = serveStdio(made, { transport, onerror: failed });
  const closed = new Promise<void>((resolve) => {
    const entry = transport.onclose; // of `serveStdio`, which has to hear of it as well
    transport.onclose = () => {
      entry?.();
      resolve();
    };
  });
  const stop = () => handle.close().catch(failed);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) await stop();
  await closed;
  signal.removeEventListener("abort", stop);
}
