import { join } from "node:path";
import type { Home } from "../../base/home.js";
import type { Spawner } from "../../base/process/spawn.js";
import type { Clock } from "../../base/time/clock.js";
import type { Config } from "../../contracts/config/config.js";
import { CAGE } from "../config/keys.js";
import type { Empties } from "./arguments.js";
import { type Cage, createCage } from "./cage.js";
import { type CageLook, createLooks } from "./looks.js";
import { makeEmpties, probeCage } from "./probe.js";
import type { PrivateTmp } from "./temporary.js";
import type { CagePlan, CageStatus, CageUse, CageWorks, NoCage } from "./types.js";

/** How a command runs. */
export type CageChoice =
  | { readonly how: "caged"; readonly cage: Cage }
  /** As without a cage: by the setting, or because none works and none is required. */
  | { readonly how: "free"; readonly status: NoCage }
  /** `terminal.cage: required` without a working cage. `message` is for model and person. */
  | { readonly how: "refused"; readonly message: string };

/** The cages of one process. */
export interface Cages {
  /** Probed once, at the first call; `off` by the setting is not probed. */
  status(): Promise<CageStatus>;
  choose(use: CageUse): Promise<CageChoice>;
  /** Whether commands are caged, as far as `status` has found out before. */
  known(): boolean;
  /** What a cage for `use` would show, whether or not cages work here. Makes the lineage's `/tmp`. Like `choose` it may be some seconds old. */
  plan(use: CageUse): Promise<CagePlan>;
  /** Directories in the real `/tmp` that are visible in a cage for `use` as well: a project, a workspace. */
  visible(use: CageUse): readonly string[];
  /** The `/tmp` of a lineage; undefined: that of this machine, because commands are not caged or no lineage is given. */
  privateTmp(lineage: string | undefined): Promise<PrivateTmp | undefined>;
  /** A command of the lineage has ended: what it may have changed, such as a repository or an `.env`, is looked for again. */
  expire(lineage: string): void;
  /** Directory of this machine that a lineage's commands see as `/tmp`. It may not exist yet. */
  tmpOf(lineage: string): string;
}

export interface CagesOptions {
  readonly home: Pick<Home, "dir" | "root" | "runDir" | "cache">;
  /** Environment of this process. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly config: Config;
  readonly spawner: Spawner;
  readonly clock: Pick<Clock, "mono">;
  /** Directories below a home of the product that every command of this process may write: workspace and attachments of a worker's task. */
  readonly own?: readonly string[];
  /** Directories there that its commands may read. */
  readonly shown?: readonly string[];
}

/** @param options the settings are read at each call, so a change counts for the next command */
export function createCages(options: CagesOptions): Cages {
  const { home, env, config, spawner, clock } = options;
  const dir = join(home.runDir, "cage");
  let empties: Empties | undefined;
  let probed: Promise<CageStatus> | undefined;
  let on = false;
  const stand = () => {
    empties ??= makeEmpties(dir);
    return empties;
  };
  const tmpOf = (lineage: string) => join(home.cache, "tmp", lineage);
  const status = (): Promise<CageStatus> => {
    if (config.get(CAGE.use) === "off") return Promise.resolve(OFF);
    probed ??= (async () => probeCage({ spawner, env, dir, empties: stand() }))().catch(failed);
    return probed.then((found) => {
      on = found.on;
      return found;
    });
  };
  const looks = createLooks({
    home,
    clock,
    tmpOf,
    own: options.own ?? [],
    shown: options.shown ?? [],
    settings: () => ({ writable: config.get(CAGE.writable), network: networkOf(config.get(CAGE.network)) }),
  });
  const cageFor = (made: CageLook, works: CageWorks): Cage => {
    made.cage ??= createCage(made.plan, works, stand());
    return made.cage;
  };
  return {
    status,
    tmpOf,
    visible: looks.visible,
    privateTmp: async (lineage) => {
      if (lineage === undefined || !(await status()).on) return undefined;
      const use = looks.lastUse(lineage);
      return { dir: tmpOf(lineage), kept: () => (use === undefined ? [] : looks.visible(use)) };
    },
    plan: async (use) => (await looks.look(use)).plan,
    expire: looks.expire,
    known: () => on && config.get(CAGE.use) !== "off",
    choose: async (use) => {
      const found = await status();
      if (found.on) return { how: "caged", cage: cageFor(await looks.look(use), found) };
      if (config.get(CAGE.use) !== "required") return { how: "free", status: found };
      return { how: "refused", message: requiredText(found) };
    },
  };
}

const OFF: NoCage = {
  on: false,
  kind: "off",
  why: "terminal.cage is off",
  remedy: "agent config set terminal.cage auto",
};

const networkOf = (value: string): "host" | "none" => (value === "none" ? "none" : "host");

function failed(error: unknown): NoCage {
  return { on: false, kind: "refused", why: `the cage could not be tried: ${String(error)}`, remedy: "" };
}

function requiredText({ why, remedy }: NoCage): string {
  const then = remedy === "" ? "" : ` Remedy: ${remedy}.`;
  return `no command runs without a cage (terminal.cage: required), and ${why}.${then}`;
}
