import { runProgram, type X11Parts } from "../../../adapters/desktop/x11/programs.js";
import { programOnPath } from "../../base/process/program-path.js";
import type { CallerIo } from "../../cli/terminal-caller.js";
import { driverCommand, missingPrograms } from "../../contracts/desktop/backend.js";
import type { DesktopInstall, DesktopInstalled } from "../../contracts/desktop/control.js";

export interface InstallDeps {
  readonly parts: X11Parts;
  readonly caller: Pick<CallerIo, "ask" | "canAsk" | "err" | "signal">;
  readonly platform: string;
}

/** Programs of the X11 driver, by their Debian packages. */
const PACKAGES = ["xdotool", "imagemagick"];
/** The published installer of the driver for macOS. */
const MAC_INSTALLER = "curl -fsSL https://raw.githubusercontent.com/trycua/cua/main/libs/cua-driver/scripts/install.sh";
const INSTALL_MS = 15 * 60_000;

/** What is to be run, and how it is written for a person. */
interface Install {
  readonly argv: readonly string[];
  readonly shown: string;
}

/** Show the command that installs what is missing, and run it after a yes. */
export async function installDesktop(deps: InstallDeps, how: DesktopInstall): Promise<DesktopInstalled> {
  const { platform, parts } = deps;
  if (platform !== "linux" && platform !== "darwin")
    return { ok: false, command: null, text: `there is no desktop driver for ${platform}` };
  const missing = platform === "linux" ? missingPrograms(parts.env) : missingDriver(parts.env);
  if (missing.length === 0 && !how.upgrade)
    return { ok: true, command: null, text: "everything is installed; agent computer-use status shows the rest" };
  const install = platform === "linux" ? debianInstall(parts.env, missing.length === 0) : macInstall();
  if (install === undefined)
    return {
      ok: false,
      command: null,
      text: `${missing.join(", ") || "what is installed"}: apt-get is not on PATH; install xdotool and ImageMagick with the package manager of this system`,
    };
  const told = missing.length === 0 ? "upgrade" : `install ${missing.join(", ")}`;
  if (!how.yes && !(await agrees(deps, `To ${told}, this command runs:\n  ${install.shown}\nRun it? [y/N] `)))
    return { ok: false, command: install.shown, text: `nothing was installed; the command is:\n  ${install.shown}` };
  return runInstall(deps, install);
}

function missingDriver(env: X11Parts["env"]): readonly string[] {
  const [program = ""] = driverCommand(env, "darwin");
  return program.includes("/") || programOnPath(program, env["PATH"]) !== undefined ? [] : [program];
}

function debianInstall(env: X11Parts["env"], onlyUpgrade: boolean): Install | undefined {
  if (programOnPath("apt-get", env["PATH"]) === undefined) return undefined;
  const words = ["apt-get", "install", "-y", ...(onlyUpgrade ? ["--only-upgrade"] : []), ...PACKAGES];
  const root = process.getuid?.() === 0;
  // A password is never asked for here: where sudo wants one, the person runs the command.
  return { argv: root ? words : ["sudo", "-n", ...words], shown: `${root ? "" : "sudo "}${words.join(" ")}` };
}

const macInstall = (): Install => ({
  argv: ["/bin/bash", "-c", `set -o pipefail; ${MAC_INSTALLER} | /bin/bash`],
  shown: `${MAC_INSTALLER} | /bin/bash`,
});

async function agrees({ caller }: InstallDeps, question: string): Promise<boolean> {
  if (!caller.canAsk) return false;
  return /^y(es)?$/i.test((await caller.ask(question, false)).trim());
}

async function runInstall({ parts, caller }: InstallDeps, { argv, shown }: Install): Promise<DesktopInstalled> {
  try {
    const ran = await runProgram(parts, argv, caller.signal, { ms: INSTALL_MS });
    if (ran.code === 0) return { ok: true, command: shown, text: `installed with: ${shown}` };
    const [why = `exit code ${ran.code}`] = ran.err.split("\n").filter((line) => line.trim() !== "");
    return { ok: false, command: shown, text: `the command failed: ${why}\nRun it yourself:\n  ${shown}` };
  } catch (error) {
    if (caller.signal.aborted) throw error;
    return {
      ok: false,
      command: shown,
      text: `the command failed: ${error instanceof Error ? error.message : String(error)}\nRun it yourself:\n  ${shown}`,
    };
  }
}
