import { homedir, userInfo } from "node:os";
import { AppError } from "../../base/errors.js";
import { exists } from "../../base/fs/home-files.js";
import { readTextSync } from "../../base/fs/text-file.js";
import { programOnPath } from "../../base/process/program-path.js";
import { systemSpawner } from "../../base/process/spawn-system.js";
import type { InstallOptions } from "../../contracts/gateway/control.js";
import { GATEWAY } from "../../gateway/settings/gateway-keys.js";
import { managerOf, type UnitManager } from "../../gateway/units/unit-manager.js";
import { programsOf } from "../../gateway/units/unit-programs.js";
import { lookAtHome, type ProfilePlace } from "../process/gateway-place.js";
import { program } from "../process/launch-owner.js";

/** The drain of a home, in seconds. */
export const drainOf = (place: ProfilePlace): Promise<number> =>
  lookAtHome(place, async ({ options }) => options.config.get(GATEWAY.drain));

/** The service manager of a place; undefined on a system without one. */
export async function managerAt(
  place: ProfilePlace,
  { system, user }: { system: boolean; user?: string | undefined },
): Promise<UnitManager | undefined> {
  const { env } = place.line.caller;
  const userHome = env["HOME"] || homedir();
  const facts = {
    home: place.home,
    userHome,
    node: process.execPath,
    cli: program(),
    path: env["PATH"] ?? "",
    drain: await drainOf(place),
    ...(system ? { user: user ?? env["SUDO_USER"] ?? userInfo().username } : {}),
  };
  return managerOf({ facts, run: programsOf(systemSpawner, env, userHome), env, system });
}

/** The manager of a place where its unit is installed. */
export async function installedAt(place: ProfilePlace, system: boolean): Promise<UnitManager | undefined> {
  const manager = await managerAt(place, { system });
  return manager !== undefined && exists(manager.file) ? manager : undefined;
}

/** Write and enable the unit. @returns what was done, a line each. @throws E_STATE */
export async function installUnit(
  place: ProfilePlace,
  { system, force, runAs }: InstallOptions,
): Promise<readonly string[]> {
  if (runAs !== undefined && !system)
    throw new AppError("E_USAGE", "--run-as-user requires --system: a user unit runs as that user");
  const manager = await needed(place, system, runAs);
  if (system && process.getuid?.() !== 0)
    throw new AppError("E_STATE", "a system unit can only be installed by root", {
      hint: "sudo agent gateway install --system",
    });
  const found = readTextSync(manager.file);
  if (found !== undefined && found !== manager.text && !force)
    throw new AppError("E_STATE", `${manager.file} exists and differs`, {
      hint: "agent gateway install --force replaces it",
    });
  await manager.install();
  const lingers = manager.kind === "systemd" && !system;
  return [
    `${manager.file} ${found === manager.text ? "is up to date" : "written"}; ${manager.name} enabled`,
    "agent gateway start starts it",
    ...(lingers ? [`loginctl enable-linger ${userInfo().username} keeps it running after logout`] : []),
  ];
}

/** Stop, disable and remove the unit. @returns what was done. @throws E_STATE */
export async function uninstallUnit(
  place: ProfilePlace,
  { system }: { readonly system: boolean },
): Promise<readonly string[]> {
  const there = await managerAt(place, { system });
  if (there === undefined || !exists(there.file)) return [`${there?.name ?? "a service unit"} is not installed`];
  const manager = await needed(place, system);
  if (system && process.getuid?.() !== 0)
    throw new AppError("E_STATE", "a system unit can only be removed by root", {
      hint: "sudo agent gateway uninstall --system",
    });
  await manager.uninstall();
  return [`${manager.name} stopped and removed`];
}

async function needed(place: ProfilePlace, system: boolean, user?: string): Promise<UnitManager> {
  const manager = await managerAt(place, { system, user });
  const name = manager?.kind === "launchd" ? "launchctl" : "systemctl";
  if (manager === undefined || programOnPath(name, place.line.caller.env["PATH"]) === undefined)
    throw new AppError("E_STATE", "no supported service manager (systemd or launchd)", {
      hint: "agent gateway start runs the gateway without one",
    });
  return manager;
}
