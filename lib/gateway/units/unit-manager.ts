import { join } from "node:path";
import { AppError } from "../../base/errors.js";
import { removeTreeSync } from "../../base/fs/home-files.js";
import { readTextSync, replaceTextFile } from "../../base/fs/text-file.js";
import type { ServiceState } from "../../contracts/gateway/api.js";
import { launchdPlist } from "./launchd.js";
import { systemdUnit } from "./systemd.js";
import { labelName, refuseUnitFacts, type UnitFacts, unitName } from "./unit-names.js";
import type { RunProgram } from "./unit-programs.js";

/** The service manager of the machine, as far as it runs the gateway of one home. */
export interface UnitManager {
  readonly kind: ServiceState["kind"];
  readonly name: string;
  readonly file: string;
  /** What the file would hold if it were written now. */
  readonly text: string;
  state(): Promise<ServiceState>;
  /** @throws E_STATE where the manager refuses or a path cannot be written into a unit, E_USAGE for a wrong user */
  install(): Promise<void>;
  uninstall(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
  restart(): Promise<void>;
}

export interface ManagerDeps {
  readonly facts: UnitFacts;
  readonly run: RunProgram;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A unit of the machine, in place of one of the user. */
  readonly system: boolean;
  readonly platform?: string;
  readonly uid?: number;
}

const SYSTEM_DIR = "/etc/systemd/system";

/** The manager that this system has, whether it works or not; undefined on a system without one. */
export function managerOf(deps: ManagerDeps): UnitManager | undefined {
  const { platform = process.platform } = deps;
  if (platform === "darwin") return launchd(deps);
  return platform === "linux" ? systemd(deps) : undefined;
}

function systemd({ facts, run, env, system }: ManagerDeps): UnitManager {
  const name = unitName(facts);
  const dir = system ? SYSTEM_DIR : join(env["XDG_CONFIG_HOME"] || join(facts.userHome, ".config"), "systemd", "user");
  const file = join(dir, name);
  const text = systemdUnit(facts);
  const scope = system ? [] : ["--user"];
  const tell = async (...words: readonly string[]) =>
    succeed("systemctl", await run("systemctl", [...scope, ...words]), words);
  return {
    kind: "systemd",
    name,
    file,
    text,
    state: async () => {
      const found = readTextSync(file);
      const active =
        found !== undefined && (await run("systemctl", [...scope, "is-active", "--quiet", name]))?.code === 0;
      return {
        kind: "systemd",
        installed: found !== undefined,
        active,
        stale_unit: found !== undefined && found !== text,
      };
    },
    install: async () => {
      await refuseFacts(facts, run);
      await tell("show", "--property=Version");
      replaceTextFile(file, text, 0o644);
      await tell("daemon-reload");
      await tell("enable", name);
    },
    uninstall: async () => {
      await tell("disable", "--now", name);
      removeTreeSync(file);
      await tell("daemon-reload");
    },
    start: () => tell("start", name),
    stop: () => tell("stop", name),
    restart: () => tell("restart", name),
  };
}

function launchd({ facts, run, uid = process.getuid?.() ?? 0 }: ManagerDeps): UnitManager {
  const name = labelName(facts);
  const file = join(facts.userHome, "Library", "LaunchAgents", `${name}.plist`);
  const text = launchdPlist(facts);
  const domain = `gui/${uid}`;
  const tell = async (...words: readonly string[]) => succeed("launchctl", await run("launchctl", words), words);
  const loaded = async () => (await run("launchctl", ["print", `${domain}/${name}`]))?.code === 0;
  return {
    kind: "launchd",
    name,
    file,
    text,
    state: async () => {
      const found = readTextSync(file);
      const active = found !== undefined && (await loaded());
      return {
        kind: "launchd",
        installed: found !== undefined,
        active,
        stale_unit: found !== undefined && found !== text,
      };
    },
    install: async () => {
      await refuseFacts(facts, run);
      replaceTextFile(file, text, 0o644);
      await tell("enable", `${domain}/${name}`);
    },
    uninstall: async () => {
      if (await loaded()) await tell("bootout", `${domain}/${name}`);
      removeTreeSync(file);
    },
    start: async () => ((await loaded()) ? tell("kickstart", `${domain}/${name}`) : tell("bootstrap", domain, file)),
    stop: () => tell("bootout", `${domain}/${name}`),
    restart: () => tell("kickstart", "-k", `${domain}/${name}`),
  };
}

/** @throws E_USAGE for a user that this machine does not know, else as `refuseUnitFacts` */
async function refuseFacts(facts: UnitFacts, run: RunProgram): Promise<void> {
  refuseUnitFacts(facts);
  if (facts.user === undefined) return;
  const ran = await run("id", ["-u", "--", facts.user]);
  if (ran !== undefined && ran.code !== 0)
    throw new AppError("E_USAGE", `--run-as-user: unknown user '${facts.user}'`, {
      hint: "getent passwd lists the users of this machine",
    });
}

type Result = Awaited<ReturnType<RunProgram>>;

function succeed(program: string, ran: Result, words: readonly string[]): void {
  if (ran?.code === 0) return;
  const said =
    ran === undefined
      ? `${program} is not installed`
      : `${program} ${words.join(" ")} failed: ${ran.out.trim() || `exit ${ran.code}`}`;
  throw new AppError("E_STATE", said, { hint: "agent gateway start runs the gateway without a service manager" });
}

/** Lines in which a unit differs from what would be written now; `-` stands there, `+` would. */
export function driftOf({ file, text }: Pick<UnitManager, "file" | "text">): readonly string[] {
  const found = readTextSync(file);
  if (found === undefined) return [];
  const old = found.split("\n");
  const now = text.split("\n");
  return [
    ...old.filter((line) => !now.includes(line)).map((line) => `-${line}`),
    ...now.filter((line) => !old.includes(line)).map((line) => `+${line}`),
  ];
}
