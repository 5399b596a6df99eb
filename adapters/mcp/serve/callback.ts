import { type CallToolResult, McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { toAppError } from "../../../lib/base/errors.js";
import type { CallbackResult, CallbackTools } from "../../../lib/contracts/runtimes/callback.js";

export interface CallbackServerDeps {
  readonly tools: CallbackTools;
  readonly version: string;
  /** A line for standard error. */
  readonly log: (line: string) => void;
  /** Aborts when the process is to end. */
  readonly signal: AbortSignal;
}

const INSTRUCTIONS =
  "Tools of the agent that started this session: web, browser, pictures, skills, speech and its task board.";

/**
 * Serve tools to the program at the other end of standard input and output. It holds no state: the list is asked for again each time, and calls run
 * beside one another where the tools are. Resolves when the program has closed its end or the signal aborts.
 */
export async function serveCallback({ tools, version, log, signal }: CallbackServerDeps): Promise<void> {
  const transport = new StdioServerTransport();
  const made = () => {
    const server = new McpServer({ name: "agent-tools", version }, { instructions: INSTRUCTIONS });
    offer(server, tools, log);
    return server;
  };
  const onerror = (error: Error) => log(`failed to handle a message: ${error.message}`);
  const handle = serveStdio(made, { transport, onerror });
  const closed = new Promise<void>((resolve) => {
    const entry = transport.onclose; // of `serveStdio`, which has to hear of it as well
    transport.onclose = () => {
      entry?.();
      resolve();
    };
  });
  const stop = () => handle.close().catch((error: unknown) => log(`failed to close: ${String(error)}`));
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) await stop();
  await closed;
  signal.removeEventListener("abort", stop);
}

function offer({ server }: McpServer, tools: CallbackTools, log: (line: string) => void): void {
  server.registerCapabilities({ tools: {} });
  server.setRequestHandler("tools/list", async () => {
    const known = await tools.list();
    log(`listed ${known.length} tools`);
    return {
      tools: known.map(({ name, description, schema, reads }) => ({
        name,
        description,
        inputSchema: { ...schema, type: "object" as const },
        annotations: { readOnlyHint: reads, destructiveHint: false },
      })),
    };
  });
  server.setRequestHandler("tools/call", async ({ params }, ctx) => {
    log(`calling ${params.name}`);
    try {
      const result = await tools.call(params.name, params.arguments ?? {}, ctx.mcpReq.signal);
      log(`${params.name}: ${result.isError ? "failed" : "ok"}`);
      return toMcp(result);
    } catch (error) {
      const { message, hint } = toAppError(error);
      log(`${params.name}: ${message}`);
      return toMcp({ text: JSON.stringify({ error: message, hint }), isError: true });
    }
  });
}

const toMcp = ({ text, isError, images = [] }: CallbackResult): CallToolResult => ({
  content: [
    { type: "text", text },
    ...images.map(({ mime, base64 }) => ({ type: "image" as const, mimeType: mime, data: base64 })),
  ],
  isError,
});
