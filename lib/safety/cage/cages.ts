import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../base/clock.js";
import type { Home } from "../../base/home.js";
import { LIMITS } from "../../base/limits.js";
import type { Spawner } from "../../base/spawn.js";
import type { Ms } from "../../base/units.js";
import type { Config } from "../../proto/config.js";
import { CAGE } from "../keys.js";
import type { Empties } from "./arguments.js";
import { type Cage, createCage, identifyHeld } from "./cage.js";
import { createMadeRepositories, NONE_MADE } from "./made.js";
import { type PlanSettings, planCage } from "./plan.js";
import { makeEmpties, probeCage } from "./probe.js";
import { loadReadable } from "./read-rules.js";
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
}

/** What a cage for one use showed at the last look. */
interface Look {
  readonly at: Ms;
  readonly lineage: string;
  readonly use: CageUse;
  readonly plan: CagePlan;
  /** The files that its mounts hold. */
  readonly held: string;
  /** The cage of the look before. */
  readonly before: Cage | undefined;
  /** Made when it is first chosen. */
  cage: Cage | undefined;
  expired: boolean;
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
  const settingsNow = () => ({ writable: config.get(CAGE.writable), network: networkOf(config.get(CAGE.network)) });
  const made = createMadeRepositories(join(home.cache, "made-repositories"));
  const looks = new Map<string, Look>();
  const look = async (use: CageUse): Promise<Look> => {
    const settings = settingsNow();
    const name = nameUse(use, settings);
    const last = looks.get(name);
    const at = clock.mono();
    // A mount is lost when something outside replaces its file, and the next command could write it.
    const fresh = last !== undefined && !last.expired && at - last.at < LIMITS.cagePlanMs && last.held === identifyHeld(last.plan);
    if (fresh) return last;
    const tmp = tmpOf(use.lineage);
    mkdirSync(tmp, { recursive: true, mode: 0o700 });
    const plan = planCage(use, { ...settings, home, tmp, made, mayRead: await loadReadable(use, home.dir) });
    const held = identifyHeld(plan);
    const next: Look = { at, lineage: use.lineage, use, plan, held, before: last?.cage ?? last?.before, cage: undefined, expired: false };
    looks.delete(name);
    looks.set(name, next);
    if (looks.size > LIMITS.openConversations) looks.delete(looks.keys().next().value ?? name);
    return next;
  };
  const cageFor = (made: Look, works: CageWorks): Cage => {
    if (made.cage !== undefined) return made.cage;
    const cage = createCage(made.plan, works, stand());
    // One object while the same is shown: shells that wait in it stay of use.
    made.cage = made.before?.key === cage.key ? made.before : cage;
    return made.cage;
  };
  /** By lineage: the last use, for what is known by the lineage alone. */
  const uses = new Map<string, CageUse>();
  const visible = (use: CageUse): readonly string[] => {
    uses.delete(use.lineage);
    uses.set(use.lineage, use);
    if (uses.size > LIMITS.openConversations) uses.delete(uses.keys().next().value ?? use.lineage);
    const plan =
      looks.get(nameUse(use, settingsNow()))?.plan ??
      planCage(use, { ...settingsNow(), home, tmp: tmpOf(use.lineage), made: NONE_MADE, mayRead: () => false });
    return [...plan.writable, ...plan.shown];
  };
  return {
    status,
    tmpOf,
    visible,
    privateTmp: async (lineage) => {
      if (lineage === undefined || !(await status()).on) return undefined;
      const use = uses.get(lineage) ?? [...looks.values()].find((one) => one.lineage === lineage)?.use;
      return { dir: tmpOf(lineage), kept: () => (use === undefined ? [] : visible(use)) };
    },
    plan: async (use) => (await look(use)).plan,
    expire: (lineage) => {
      for (const made of looks.values()) if (made.lineage === lineage) made.expired = true;
    },
    known: () => on && config.get(CAGE.use) !== "off",
    choose: async (use) => {
      const found = await status();
      if (found.on) return { how: "caged", cage: cageFor(await look(use), found) };
      if (config.get(CAGE.use) !== "required") return { how: "free", status: found };
      return { how: "refused", message: requiredText(found) };
    },
  };
}

/** What decides about a plan beside the disk. */
function nameUse(use: CageUse, settings: Pick<PlanSettings, "writable" | "network">): string {
  return JSON.stringify([{ ...use, clients: use.clients ?? [], env: [use.env["HOME"], use.env["PATH"]] }, settings]);
}

const OFF: NoCage = { on: false, kind: "off", why: "terminal.cage is off", remedy: "agent config set terminal.cage auto" };

const networkOf = (value: string): "host" | "none" => (value === "none" ? "none" : "host");

function failed(error: unknown): NoCage {
  return { on: false, kind: "refused", why: `the cage could not be tried: ${String(error)}`, remedy: "" };
}

function requiredText({ why, remedy }: NoCage): string {
  const then = remedy === "" ? "" : ` Remedy: ${remedy}.`;
  return `no command runs without a cage (terminal.cage: required), and ${why}.${then}`;
}
