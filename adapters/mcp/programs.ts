import type { McpEntry } from "../../lib/contracts/mcp/entry.js";
import { createRunning, type Running } from "../lsp/running.js";
import type { McpParts } from "./parts.js";
import { startProgram } from "./program.js";
import { createServerLog } from "./stderr-log.js";
import { createStdioTransport, type StdioTransport } from "./stdio-transport.js";

/** A program that was started for a server. */
export interface StartedProgram {
  readonly transport: StdioTransport;
}

/** The programs of one process, written down so that the next one ends what a killed process left behind. */
export interface Programs {
  /** @throws McpConnectError */
  start(name: string, entry: McpEntry): Promise<StartedProgram>;
  sweep(): Promise<void>;
}

export function createPrograms(parts: McpParts): Programs {
  const { spawner, clock, log, home } = parts;
  const running: Running = createRunning({ home: home.dir, spawner, log, folder: "mcp", what: "MCP servers" });
  return {
    sweep: running.sweep,
    start: async (name, entry) => {
      await running.sweep();
      const child = await startProgram(name, entry, parts);
      await running.started(child);
      child.exited.then(
        () => running.ended(child),
        (error: unknown) => log.warning("the end of an MCP server was not noted", { name, error: String(error) }),
      );
      const heard = createServerLog(parts, name);
      return { transport: createStdioTransport({ child, spawner, clock, log: heard }) };
    },
  };
}
