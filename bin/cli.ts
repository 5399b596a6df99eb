import { isBelowTool } from "../lib/backplane/below-tool.js";
import { refuseTool } from "../lib/backplane/methods.js";
import { checkHome, checkProfile } from "../lib/base/fs/directory.js";
import { type Home, homeFrom, layOutHome } from "../lib/base/home.js";
import { type KeptEngines, keepEngines } from "../lib/base/perf/compiled.js";
import { decideMode, type ModeDecision } from "../lib/cli/decide-process.js";
import { printFailure } from "../lib/cli/execute-command.js";
import { processCaller } from "../lib/cli/terminal-caller.js";
import { isForPeople } from "../lib/commands/entry.js";
import { COMMANDS } from "../lib/commands/index.gen.js";
import { frontOf } from "./ui-mode.js";

/** Put in by the build. */
declare const VERSION: string;

/**
 * The whole program, once the launcher has found that nobody else can answer. Sets the exit code.
 *
 * @param engines Where machine code of engines is kept, for a process that ends soon
 * @param again Key of a line that was begun by an owner which ended before it answered
 */
export async function main(argv: readonly string[], engines?: KeptEngines, again?: string): Promise<void> {
  if (engines) keepEngines(engines);
  const caller = processCaller(COMMANDS);
  let exit = 1;
  try {
    const decision = await decideMode(argv, COMMANDS);
    exit = await act(decision, argv, { caller, again });
  } catch (error) {
    exit = await printFailure(error, caller, argv);
  }
  process.exitCode = caller.exitCode(exit);
  // Whatever still holds the event loop (a kept connection, a compiler thread) must not keep the shell waiting.
  process.stdout.write("", () => process.stderr.write("", () => process.exit()));
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
    case "workspace": {
      const { globals } = decision;
      const front = await frontOf({ home, env, globals, stdin: process.stdin.isTTY, stdout: process.stdout.isTTY });
      const { openScreen } = await import("./open-screen.js");
      return openScreen({ home, version, caller, globals }, front);
    }
  }
}
