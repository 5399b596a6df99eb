import type { CommandEntry } from "../commands/entry.js";
import { flagName, placeName } from "./parse-command-line.js";

/** What a schema says about a value, as far as it is shown. */
export interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly code?: string | undefined;
  readonly minimum?: number | bigint;
  readonly maximum?: number | bigint;
}

/** What is wrong with the parameters of a command, in the words of its command line. */
export function wrongParam(
  entry: CommandEntry,
  params: Readonly<Record<string, unknown>>,
  issue: Issue | undefined,
): string {
  const name = String(issue?.path[0] ?? "");
  if (name === "") return issue?.message ?? "malformed";
  const shown = entry.positionals?.some((place) => placeName(place) === name)
    ? `<${flagName(name)}>`
    : `--${flagName(name)}`;
  const value = params[name];
  return value === undefined
    ? `missing ${shown}`
    : `${shown}${issue === undefined ? ": malformed" : said(issue, value)}`;
}

function said(issue: Issue, value: unknown): string {
  if (typeof value !== "number") return `: ${issue.message}`;
  if (issue.code === "too_small") return ` must be at least ${issue.minimum}, not ${value}`;
  if (issue.code === "too_big") return ` must be at most ${issue.maximum}, not ${value}`;
  return issue.code === "invalid_type" ? ` must be a whole number, not ${value}` : `: ${issue.message}`;
}
