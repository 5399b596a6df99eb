import type { Check } from "../../proto/owner.js";

/** One line for each check, and what to do below those that are not as they should be. */
export function checksText(checks: readonly Check[]): string {
  return checks
    .map(({ name, status, detail, fix }) =>
      [`${status.padEnd(4)}  ${name}: ${detail}`, ...(fix === undefined || status === "ok" ? [] : [`      ${fix}`])].join("\n"),
    )
    .join("\n");
}
