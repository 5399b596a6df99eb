import type { Clock } from "../../base/time/clock.js";
import type { EpochMs, Ms, SessionId } from "../../base/units.js";
import { parseRuleEntry } from "../../safety/rules/entry.js";
import type { SourcedRule } from "../../safety/rules/rules.js";

/** Answers and settings given for one lineage: record `grants`. */
export interface Grants {
  readonly rules: readonly Granted[];
  /** `/yolo`: approvals are off for this session. */
  readonly yolo?: boolean;
  readonly mode?: "manual" | "smart" | "off";
  readonly edits?: "allow" | "ask";
}

export interface Granted {
  /** As a rule file would hold it. */
  readonly value: unknown;
  readonly at: EpochMs;
  readonly used: EpochMs | null;
}

/** Where the records of lineages are kept. */
export interface RecordKeeper {
  read(lineage: SessionId): Promise<string | undefined>;
  write(lineage: SessionId, json: string): Promise<void>;
}

/** The grants of all lineages of this owner; each is read once. */
export interface GrantBook {
  of(lineage: SessionId): Promise<Grants>;
  change(lineage: SessionId, next: (grants: Grants) => Grants): Promise<Grants>;
  /** A rule of the lineage has allowed something. */
  used(lineage: SessionId, value: unknown): Promise<void>;
}

const NONE: Grants = { rules: [] };
/** Lineages whose grants are kept in memory. */
const KEPT_AT_MOST = 1_024;
/** The last use of a rule is for people to read: not each call of a busy turn is worth a commit. */
const NOTED_EVERY: Ms = 60_000;

export function createGrantBook(keeper: RecordKeeper, clock: Clock): GrantBook {
  const known = new Map<SessionId, Grants>();
  const of = async (lineage: SessionId): Promise<Grants> => {
    const there = known.get(lineage);
    if (there !== undefined) return there;
    const text = await keeper.read(lineage);
    const newer = known.get(lineage); // changed while it was read
    if (newer !== undefined) return newer;
    const grants: Grants = text === undefined ? NONE : (JSON.parse(text) as Grants); // written by `change`
    if (known.size >= KEPT_AT_MOST) known.clear();
    known.set(lineage, grants);
    return grants;
  };
  /** Each change begins with what the one before it has stored. */
  let tail: Promise<unknown> = Promise.resolve();
  const change = (lineage: SessionId, next: (grants: Grants) => Grants): Promise<Grants> => {
    const mine = tail.then(async () => {
      const grants = next(await of(lineage));
      await keeper.write(lineage, JSON.stringify(grants));
      known.set(lineage, grants);
      return grants;
    });
    tail = mine.catch(() => undefined); // its caller gets the error
    return mine;
  };
  return {
    of,
    change,
    used: async (lineage, value) => {
      const same = JSON.stringify(value);
      const now = clock.now();
      const due = ({ value: own, used }: Granted) =>
        JSON.stringify(own) === same && (used === null || now - used >= NOTED_EVERY);
      if (!(await of(lineage)).rules.some(due)) return;
      const touch = (granted: Granted): Granted => (due(granted) ? { ...granted, used: now } : granted);
      await change(lineage, (grants) => ({ ...grants, rules: grants.rules.map(touch) }));
    },
  };
}

/** Add rules that are not there yet. */
export function withRules(grants: Grants, values: readonly unknown[], at: EpochMs): Grants {
  const there = new Set(grants.rules.map((granted) => JSON.stringify(granted.value)));
  const fresh = values.filter((value) => !there.has(JSON.stringify(value)));
  return { ...grants, rules: [...grants.rules, ...fresh.map((value): Granted => ({ value, at, used: null }))] };
}

/** The grants as the decision takes them. */
export function grantRules(grants: Grants): readonly SourcedRule[] {
  return grants.rules.flatMap(({ value }): readonly SourcedRule[] => {
    const rule = parseRuleEntry({ list: "allow", value });
    return typeof rule === "string" ? [] : [{ list: "allow", rule, source: "session", value }];
  });
}
