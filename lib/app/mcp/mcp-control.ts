import { isRecord } from "../../base/json/record.js";
import type { CommandLine } from "../../cli/command-line.js";
import type { McpControl } from "../../contracts/mcp/served.js";
import { createMcpServers } from "../../setup/mcp-servers.js";
import { keepAt } from "../../setup/store-change.js";
import type { Host } from "../owner-process.js";

const SECRET_BYTES = 16 << 10;

/** Commands of `agent mcp` in the process of their caller. @param run Runs the lines that they make. */
export function createMcpControl(
  line: CommandLine,
  host: Host,
  run: (line: CommandLine) => Promise<number>,
): McpControl {
  const { caller, home, version } = line;
  const { app, config } = host;
  const login = async (name: string) => {
    const argv = ["mcp", "login", name];
    const entry = caller.entries.find(({ path }) => path === "mcp login");
    return (await run({ ...line, argv, entry, line: undefined })) === 0;
  };
  const servers = createMcpServers({
    mcp: app.mcp,
    entries: () => {
      const all = config.file["mcp_servers"];
      return isRecord(all) ? all : {};
    },
    env: config.env,
    keep: keepAt({ home, version, reload: () => config.reload() }, app.settings),
    person: caller.canAsk
      ? { ask: caller.ask, say: (text) => caller.err(`${text}\n`), signal: caller.signal }
      : undefined,
    hidden: (question) => caller.stdin(SECRET_BYTES, question),
    login,
    signal: caller.signal,
  });
  return { ...servers, serve: async (options) => (await import("./serve-agent.js")).serveMcp(line, host, options) };
}
