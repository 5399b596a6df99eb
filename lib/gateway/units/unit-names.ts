import { join } from "node:path";
import { AppError } from "../../base/errors.js";
import type { Home } from "../../base/home.js";
import { sha256 } from "../../base/text/hash.js";
import { LABEL } from "./supervisor-env.js";

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
function suffixOf({ home, userHome }: Pick<UnitFacts, "home" | "userHome">): string {
  const profile = home.profile === "default" ? "" : `-${home.profile}`;
  const root = home.profile === "default" ? home.dir : join(home.dir, "..", "..");
  return root === join(userHome, ".agent") ? profile : `${profile}-${sha256(home.dir).slice(0, 8)}`;
}

export const unitName = (facts: Pick<UnitFacts, "home" | "userHome">): string =>
  `agent-gateway${suffixOf(facts)}.service`;
export const labelName = (facts: Pick<UnitFacts, "home" | "userHome">): string => `${LABEL}${suffixOf(facts)}`;

/** Login names as useradd and systemd take them, or a numeric user id. */
const USER_NAME = /^(?:[A-Za-z_][A-Za-z0-9_.-]{0,30}\$?|\d{1,10})$/;

/**
 * Refuse a value that would not stay on its own line of a unit: a line break would add directives that run as the user of the unit.
 *
 * @throws E_USAGE for a user name, E_STATE for a path
 */
export function refuseUnitFacts({ home, userHome, node, cli, path, user }: UnitFacts): void {
  if (user !== undefined && !USER_NAME.test(user))
    throw new AppError("E_USAGE", `--run-as-user: ${JSON.stringify(user)} is not a user name`, {
      hint: "use a login name or a user id",
    });
  const values = {
    "the agent home": home.dir,
    HOME: userHome,
    "the path of node": node,
    "the path of the program": cli,
    PATH: path,
  };
  const wrong = Object.entries(values).find(([, value]) => hasControl(value));
  if (wrong === undefined) return;
  throw new AppError("E_STATE", `${wrong[0]} contains a control character and cannot be used in a unit`, {
    hint: "agent gateway start runs the gateway without a service manager",
  });
}

function hasControl(text: string): boolean {
  return /\p{Cc}/u.test(text);
}

/** Words behind the program that every unit starts with. */
export const toUnitCommand = ({ node, cli, home }: UnitFacts, ...words: readonly string[]): readonly string[] => [
  node,
  cli,
  ...(home.profile === "default" ? [] : ["-p", home.profile]),
  "gateway",
  ...words,
];
