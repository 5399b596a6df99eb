import { ownEntry } from "../../base/json/record.js";
import { abbreviateHome } from "../../safety/paths/paths.js";
/** What the line under an answer is made of. */
export interface FooterFacts {
  readonly model: string;
  /** Tokens of the last request, and how many there may be. */
  readonly used: number;
  readonly window: number;
  readonly cwd: string;
  readonly home: string;
}

const PARTS: Readonly<Record<string, (facts: FooterFacts) => string>> = {
  model: ({ model }) => model,
  context_pct: ({ used, window }) => (window > 0 ? `${Math.round((used / window) * 100)}%` : ""),
  cwd: ({ cwd, home }) => abbreviateHome(cwd, home),
};

/** The line under an answer (gateway part, 11.7); "" when it would say nothing. Fields that there are not are left out. */
export function footerLine(fields: readonly string[], facts: FooterFacts): string {
  return fields
    .map((field) => ownEntry(PARTS, field)?.(facts) ?? "")
    .filter((part) => part !== "")
    .join(" · ");
}
