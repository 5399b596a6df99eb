import { isBelowTool } from "../lib/backplane/below-tool.js";
import { refuseTool } from "../lib/backplane/methods.js";
import { checkHome, checkProfile } from "../lib/base/fs/directory.js";
import { distFile } from "../lib/base/fs/dist.js";
import { type Home, homeFrom, layOutHome } from "../lib/base/home.js";
import { decideMode, type ModeDecision } from "../lib/cli/decide-process.js";
import { printFailure } from "../lib/cli/execute-command.js";
import { withPluginCommand } from "../lib/cli/plugin-line.js";
import { processCaller } from "../lib/cli/terminal-caller.js";
import { isForPeople } from "../lib/commands/entry.js";
import { withVariables } from "../lib/commands/globals.js";
import { COMMANDS } from "../lib/commands/index.gen.js";
import { chooseUiMode } from "./ui-mode.js";

/** Put in by the build. */
declare const VERSION: string;

/**
 * The whole program, once the launcher has found that it cannot be answered otherwise. Sets the exit code.
 *
 * @param again Key of a line that was begun by an owner which ended before it answered
 */
export async function main(typed: readonly string[], again?: string): Promise<void> {
  const caller = processCaller(COMMANDS);
  let exit = 1;
  let argv = typed;
  try {
    argv = await withPluginCommand(typed, COMMANDS, commandsOfPlugins);
    const decision = await decideMode(argv, COMMANDS);
    const globals = withVariables(decision.globals, process.env);
    exit = await act({ ...decision, globals }, argv, { caller, again });
  } catch (error) {
    exit = await printFailure(error, caller, argv);
  }
  process.exitCode = caller.exitCode(exit);
  // Whatever still holds the event loop (a kept connection, a compiler thread) must not keep the shell waiting.
  process.stdout.write("", () => process.stderr.write("", () => process.exit()));
}

async function commandsOfPlugins(): Promise<readonly string[]> {
  const [{ pluginCliNames }, { pluginRoots, projectPluginsDir }] = await Promise.all([
    import("../lib/plugins/find/scan.js"),
    import("../lib/plugins/find/roots.js"),
  ]);
  const places = { bundled: distFile("plugins"), project: projectPluginsDir(process.env) };
  return await pluginCliNames(pluginRoots(homeFrom(process.env).dir, places));
}

/** The owner looks at its clients itself; what this process would do without one is refused here. @throws E_FORBIDDEN */
async function refuseBelowTool({ mode, entry }: ModeDecision, argv: readonly string[], home: Home): Promise<void> {
  if (mode === "command" && (entry === undefined || !isForPeople(entry, argv))) return;
  await refuseTool(
    { fromTool: () => isBelowTool(home, { kind: "cli", version: VERSION }) },
    entry === undefined ? "agent" : `agent ${entry.path}`,
  );
}

interface Asked {
  readonly caller: ReturnType<typeof processCaller>;
  readonly again: string | undefined;
}

async function act(decision: ModeDecision, argv: readonly string[], { caller, again }: Asked): Promise<number> {
  const env = { ...process.env, ...decision.env };
  const home = homeFrom(env);
  const version = VERSION;
  for (const dir of new Set([home.dir, home.root])) checkHome(dir);
  checkProfile(homeFrom({ ...env, AGENT_PROFILE: "default" }).dir, env["AGENT_PROFILE"]);
  await refuseBelowTool(decision, argv, home);
  switch (decision.mode) {
    case "command": {
      const { runCommandLine } = await import("../lib/app/run/run-command.js");
      const at = decision.entry?.where === "root" && home.root !== home.dir ? layOutHome(home.root) : home;
      const line = again === undefined ? undefined : { key: again, again: true };
      return runCommandLine({
        argv,
        home: at,
        version,
        entry: decision.entry,
        globals: decision.globals,
        caller,
        line,
      });
    }
    case "headless": {
      const { runHeadless } = await import("../lib/app/process/headless.js");
      return runHeadless({ home, version, caller, globals: decision.globals });
    }
    case "acp": {
      const { runAcp } = await import("./acp.js");
      return runAcp({ home, version, caller, globals: decision.globals });
    }
    case "workspace": {
      const { globals } = decision;
      const front = await chooseUiMode({
        home,
        env,
        globals,
        stdin: process.stdin.isTTY,
        stdout: process.stdout.isTTY,
      });
      const { openScreen } = await import("./open-screen.js");
      return openScreen({ home, version, caller, globals }, front);
    }
  }
}
