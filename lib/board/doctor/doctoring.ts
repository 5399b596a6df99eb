import type { Query, Store } from "../../../storage/store.js";
import type { BoardSlug, UnixSeconds } from "../../base/units.js";
import type { Check } from "../../contracts/check.js";
import type { Core } from "../core/core.js";

/** One examination of one board. */
export interface Doctoring {
  readonly core: Core;
  readonly board: BoardSlug;
  readonly store: Store;
  readonly now: UnixSeconds;
  /** Repair what loses nothing. */
  readonly fix: boolean;
  /** Look at everything that was ever stored, not only at what is newest and unfinished. */
  readonly deep: boolean;
  /** Events above this cursor are read: the newest ones, or all. */
  readonly after: number;
}

/** Newest events, runs and attachments that are read without `deep`: what is older was there for earlier looks. */
const NEWEST = 5000;

/** How many of the newest are read. */
export const auditLimit = ({ deep }: Pick<Doctoring, "deep">): number => (deep ? Number.MAX_SAFE_INTEGER : NEWEST);

/** The event behind which those that are read begin. @param last Number of the newest event. */
export const auditCursor = (last: number, deep: boolean): number => (deep ? 0 : Math.max(0, last - NEWEST));

/** One look at it. Each is by itself: one that fails is a finding, not an end. */
export type DoctorCheck = (of: Doctoring) => Promise<Check | readonly Check[]>;

interface Words {
  readonly name: string;
  /** Said when nothing is wrong. */
  readonly ok: string;
  /** How bad a finding is. */
  readonly as: "warn" | "fail";
  readonly fix: string;
}

/** Findings that are spelled out; the rest is counted. */
const SHOWN = 5;

/** A check from its findings, one short sentence each. */
export function checkOf(words: Words, findings: readonly string[]): Check {
  const { name, ok, as, fix } = words;
  if (findings.length === 0) return { name, status: "ok", detail: ok };
  return { name, status: as, detail: listed(findings), fix };
}

/** A check whose findings were repaired. */
export const repaired = (name: string, what: string, findings: readonly string[]): Check => ({
  name,
  status: "ok",
  detail: `repaired: ${what}: ${listed(findings)}`,
});

/** A few of many. */
function listed(findings: readonly string[]): string {
  const more = findings.length - SHOWN;
  return `${findings.slice(0, SHOWN).join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
}

/** What a broken invariant asks for: nothing that a program should do by itself. */
export const REPORT = "back up the home first; agent kanban boards export saves what is readable";

/** Read the store in one state. */
export const readBoardStore = <T>({ store }: Doctoring, body: (q: Query) => Promise<T>): Promise<T> => store.read(body);
