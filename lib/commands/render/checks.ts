import type { Check } from "../../contracts/check.js";

/** One line for each check, and what to do below those that are not as they should be; then the failed ones again, numbered, with what mends each. */
export function checksText(checks: readonly Check[]): string {
  const issues = checks.filter(({ status }) => status === "fail");
  const list = issues.map(({ name, detail, fix }, at) => `${at + 1}. ${name}: ${fix ?? detail}`);
  return [
    checkLines(checks),
    ...(list.length === 0 ? [] : ["", list.length === 1 ? "1 issue:" : `${list.length} issues:`, ...list]),
  ].join("\n");
}

function checkLines(checks: readonly Check[]): string {
  return checks
    .map(({ name, status, detail, fix }) =>
      [
        `${status.padEnd(4)}  ${name}: ${detail}`,
        ...(fix === undefined || status === "ok" ? [] : [`      ${fix}`]),
      ].join("\n"),
    )
    .join("\n");
}
