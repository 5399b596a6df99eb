import type { CommandLine } from "../../cli/command-line.js";
import { execute } from "../../cli/execute-command.js";
import type { SetupControl } from "../../contracts/config/setup.js";
import { services } from "../../rpc/commands/command-services.js";
import { createDesktopControl } from "../desktop/desktop-control.js";
import { createControl } from "../gateway-control/gateway-control.js";
import { createMcpControl } from "../mcp/mcp-control.js";
import { createHost } from "../owner-process.js";
import type { RunLine } from "./setup-wizard.js";

/** Run a command that looks after owners: in this process, for any owner of the home. @param run Runs the lines that it makes. @returns exit code */
export async function runOutside(line: CommandLine, run: RunLine): Promise<number> {
  const { home, version, caller, globals } = line;
  const argv = line.argv.map((word) => (word === "-vv" ? "--very-verbose" : word)); // a switch has no number of times
  const host = await createHost({ home, kind: "readonly", version, env: caller.env, globals });
  const { cwd, env, columns, color, isTty: tty, signal, force, gone, out, err, stdin, pipeExit } = caller;
  const gateways = createControl(line);
  const wizard = async () => (await import("./setup-wizard.js")).createSetup({ line, host, gateways, run });
  const setup: SetupControl = {
    run: async (...given) => (await wizard()).run(...given),
    fallback: async () => (await wizard()).fallback(),
    auth: async () => (await wizard()).auth(),
  };
  const mcpControl = createMcpControl(line, host, run);
  const desktopControl = createDesktopControl(line, host);
  const own = { ...services(host.app), gateways, setup, mcpControl, desktopControl };
  const io = { argv, cwd, env, columns, color, tty, pid: process.pid, signal, force, gone, out, err, stdin, pipeExit };
  try {
    return await execute({ ...own, ...io }, caller.entries);
  } finally {
    await host.app.stop();
  }
}
