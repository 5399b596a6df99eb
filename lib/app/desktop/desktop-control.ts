import { runProgram, type X11Parts } from "../../../adapters/desktop/x11/programs.js";
import { createX11 } from "../../../adapters/desktop/x11/x11.js";
import { systemSpawner } from "../../base/process/spawn-system.js";
import { systemClock } from "../../base/time/clock.js";
import type { CommandLine } from "../../cli/command-line.js";
import { chooseDesktopBackend, type DesktopBackend, driverCommand } from "../../contracts/desktop/backend.js";
import type { DesktopControl, DesktopStatus } from "../../contracts/desktop/control.js";
import type { Host } from "../owner-process.js";
import { installDesktop } from "./install-desktop.js";

/** `agent computer-use` in the process of its caller. */
export function createDesktopControl(line: CommandLine, host: Host): DesktopControl {
  const { caller } = line;
  const env = toEnv({ ...host.config.env, ...caller.env });
  const parts: X11Parts = { spawner: systemSpawner, clock: systemClock, env };
  return {
    status: () => status(parts, caller.signal),
    install: (how) => installDesktop({ parts, caller, platform: process.platform }, how),
    drive: async (driver) => {
      const { serveDriver } = await import("../../../adapters/desktop/serve-driver.js");
      const signal = AbortSignal.any([caller.signal, caller.gone]);
      const failed = (error: Error): void => {
        caller.err(`${error.message}\n`).catch(() => undefined); // ok to lose: standard error has no reader
      };
      if (driver === "x11") {
        await serveDriver({ backend: createX11(parts), version: line.version, signal, failed });
        return 0;
      }
      const { createNoop, logCalls } = await import("../../../adapters/desktop/noop/noop.js");
      const log = env["AGENT_NOOP_DRIVER_LOG"];
      const called = log === undefined || log === "" ? {} : { called: logCalls(log) };
      await serveDriver({ backend: createNoop(), version: line.version, signal, failed, ...called });
      return 0;
    },
  };
}

const toEnv = (env: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined));

async function status(parts: X11Parts, signal: AbortSignal): Promise<DesktopStatus> {
  const { env } = parts;
  const chosen = chooseDesktopBackend(env);
  const display = env["DISPLAY"] ?? null;
  if (!chosen.ok) return { backend: null, why: chosen.why, driver: null, version: null, display, permissions: null };
  const { backend } = chosen;
  const driver = backend === "external" ? driverCommand(env).join(" ") : `agent computer-use driver ${backend}`;
  const version = await versionOf(parts, backend, signal);
  if (backend !== "x11")
    return { backend, why: null, driver, version, display, permissions: backend === "noop" ? "granted" : null };
  const problem = await displayProblem(parts, signal);
  return {
    backend,
    why: problem ?? null,
    driver,
    version,
    display,
    permissions: problem === undefined ? "granted" : "denied",
  };
}

async function versionOf(parts: X11Parts, backend: DesktopBackend, signal: AbortSignal): Promise<string | null> {
  if (backend === "noop") return null;
  const [program = ""] = backend === "x11" ? ["xdotool"] : driverCommand(parts.env);
  try {
    const ran = await runProgram(parts, [program, backend === "x11" ? "version" : "--version"], signal);
    const [first = ""] = ran.out.toString("utf8").trim().split("\n");
    return ran.code === 0 && first !== "" ? first.slice(0, 200) : null;
  } catch (error) {
    if (signal.aborted) throw error;
    return null; // ok to lose: a driver that does not report its version may work anyway
  }
}

async function displayProblem(parts: X11Parts, signal: AbortSignal): Promise<string | undefined> {
  try {
    await createX11(parts).windows(signal);
    return undefined;
  } catch (error) {
    if (signal.aborted) throw error;
    return error instanceof Error ? error.message : String(error);
  }
}
