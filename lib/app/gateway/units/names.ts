import { join } from "node:path";
import { sha256 } from "../../../base/hash.js";
import type { Home } from "../../../base/home.js";
import { LABEL } from "../control/supervised.js";

/** What is written into a unit, beside what never changes. */
export interface UnitFacts {
  readonly home: Home;
  /** Home directory of the user. */
  readonly userHome: string;
  readonly node: string;
  /** This program's file. */
  readonly cli: string;
  /** PATH of the shell that installs it. */
  readonly path: string;
  /** Longest drain, in seconds. */
  readonly drain: number;
  /** Who runs it, in a unit of the machine. */
  readonly user?: string | undefined;
}

/** Seconds between the end of the longest drain and the moment when a service manager kills. */
const SPARE_SECONDS = 60;
const LEAST_SECONDS = 60;

/** How long a service manager waits for the end of a gateway that drains, in seconds. */
export const stopSeconds = (drain: number): number => Math.ceil(Math.max(LEAST_SECONDS, drain)) + SPARE_SECONDS;

/** Tells the units of several homes apart: empty for the usual home of the default profile. */
export function suffixOf({ home, userHome }: Pick<UnitFacts, "home" | "userHome">): string {
  const profile = home.profile === "default" ? "" : `-${home.profile}`;
  const root = home.profile === "default" ? home.dir : join(home.dir, "..", "..");
  return root === join(userHome, ".agent") ? profile : `${profile}-${sha256(home.dir).slice(0, 8)}`;
}

export const unitName = (facts: Pick<UnitFacts, "home" | "userHome">): string => `agent-gateway${suffixOf(facts)}.service`;
export const labelName = (facts: Pick<UnitFacts, "home" | "userHome">): string => `${LABEL}${suffixOf(facts)}`;

/** Words behind the program that every unit starts with. */
export const wordsOf = ({ node, cli, home }: UnitFacts, ...words: readonly string[]): readonly string[] => [
  ...[node, cli],
  ...(home.profile === "default" ? [] : ["-p", home.profile]),
  ...["gateway", ...words],
];
