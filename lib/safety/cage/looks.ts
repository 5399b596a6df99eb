import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Home } from "../../base/home.js";
import { LIMITS } from "../../base/limits.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import { isWithin, projectRoot, userHomeOf } from "../paths/paths.js";
import type { ListName } from "../rules/rules.js";
import { type Cage, identifyHeld } from "./cage.js";
import { createMadeRepositories, NONE_MADE } from "./made.js";
import { findSurroundings, type PlanSettings, planCage, type Surroundings } from "./plan.js";
import type { CagePlan, CageUse } from "./types.js";

/** What a cage for one use showed at the last look. */
export interface CageLook {
  readonly at: Ms;
  readonly lineage: string;
  readonly plan: CagePlan;
  /** Found at `aroundAt`, and kept for looks after it. */
  readonly around: Surroundings;
  readonly aroundAt: Ms;
  /** The files that its mounts hold. */
  readonly held: string;
  /** Made when it is first chosen. */
  cage: Cage | undefined;
  expired: boolean;
}

/** What the cages of a process show, looked at again when it may have changed. */
export interface Looks {
  look(use: CageUse): Promise<CageLook>;
  /** Directories that are visible in a cage for `use`; makes nothing. */
  visible(use: CageUse): readonly string[];
  /** The next look of the lineage is a new one. */
  expire(lineage: string): void;
  /** The last use of a lineage in this process. */
  lastUse(lineage: string): CageUse | undefined;
}

export interface LooksDeps {
  readonly home: Pick<Home, "dir" | "root" | "runDir" | "cache">;
  readonly clock: Pick<Clock, "mono">;
  readonly tmpOf: (lineage: string) => string;
  /** Of every use of this process. */
  readonly own: readonly string[];
  readonly shown: readonly string[];
  /** As they are now. */
  readonly settings: () => Pick<PlanSettings, "writable" | "network">;
}

export function createLooks({ home, clock, tmpOf, settings, ...always }: LooksDeps): Looks {
  const made = createMadeRepositories(join(home.cache, "made-repositories"));
  const looks = new Map<string, CageLook>();
  const uses = new Map<string, CageUse>();
  const remember = (use: CageUse): CageUse => {
    keepLast(uses, use.lineage, use);
    return { ...use, own: [...(use.own ?? []), ...always.own], shown: [...(use.shown ?? []), ...always.shown] };
  };
  return {
    look: async (given) => {
      const use = remember(given);
      const now = settings();
      const name = nameUse(use, now);
      const last = looks.get(name);
      const at = clock.mono();
      // A mount is lost when something outside replaces its file, and the next command could write it.
      const fresh =
        last !== undefined &&
        !last.expired &&
        at - last.at < LIMITS.cagePlanMs &&
        last.held === identifyHeld(last.plan);
      if (fresh) return last;
      const tmp = tmpOf(use.lineage);
      mkdirSync(tmp, { recursive: true, mode: 0o700 });
      const known =
        last !== undefined && at - last.aroundAt < LIMITS.cagePlanMs && !writesHome(last) ? last : undefined;
      const around = known?.around ?? findSurroundings(use, home);
      const plan = planCage(use, { ...now, home, tmp, made, mayRead: await loadReadable(use, home.dir) }, around);
      const next: CageLook = {
        at,
        lineage: use.lineage,
        plan,
        around,
        aroundAt: known?.aroundAt ?? at,
        held: identifyHeld(plan),
        cage: undefined,
        expired: false,
      };
      keepLast(looks, name, next);
      return next;
    },
    visible: (given) => {
      const use = remember(given);
      const now = settings();
      const plan =
        looks.get(nameUse(use, now))?.plan ??
        planCage(use, { ...now, home, tmp: tmpOf(use.lineage), made: NONE_MADE, mayRead: () => false });
      return [...plan.writable, ...plan.shown];
    },
    expire: (lineage) => {
      for (const look of looks.values()) if (look.lineage === lineage) look.expired = true;
    },
    lastUse: (lineage) => uses.get(lineage),
  };
}

/** Its commands may make what a cage hides: a `.ssh` in a home that is the project. */
const writesHome = ({ plan, around }: CageLook): boolean => plan.writable.some((dir) => isWithin(around.userHome, dir));

/** The latest come last, and the oldest goes when there are too many. */
function keepLast<T>(map: Map<string, T>, name: string, value: T): void {
  map.delete(name);
  map.set(name, value);
  if (map.size > LIMITS.openConversations) map.delete(map.keys().next().value ?? name);
}

/** What decides about a plan beside the disk. */
function nameUse(use: CageUse, settings: Pick<PlanSettings, "writable" | "network">): string {
  return JSON.stringify([{ ...use, clients: use.clients ?? [], env: [use.env["HOME"], use.env["PATH"]] }, settings]);
}

/** Which secret files of a project its commands may read: those that a `read:` rule allows and none asks about or denies. */
async function loadReadable({ directory, env }: CageUse, homeDir: string): Promise<(path: string) => boolean> {
  const [{ matchesAny }, { loadRules, ruleFiles }] = await Promise.all([
    import("../rules/match.js"),
    import("../rules/rules.js"),
  ]);
  const userHome = userHomeOf(env);
  const project = projectRoot(directory, userHome);
  const { rules } = await loadRules(ruleFiles(homeDir, project));
  const patternsOf = (...names: readonly ListName[]) =>
    rules.flatMap(({ list, rule }) => (rule.kind === "read" && names.includes(list) ? [rule.pattern] : []));
  const allowed = patternsOf("allow");
  const held = patternsOf("ask", "deny");
  const scope = { project, userHome };
  return (path) => matchesAny(allowed, path, scope) && !matchesAny(held, path, scope);
}
