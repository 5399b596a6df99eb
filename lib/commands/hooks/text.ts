import type { ShellHookRow } from "../../contracts/hooks/hooks-api.js";

const CONSENT: Readonly<Record<ShellHookRow["consent"], string>> = {
  approved: "approved",
  new: "not approved",
  changed: "changed, not approved",
  missing: "program missing",
};

/** One hook in one line. */
function hookLine({ event, command, matcher, consent, last_run: run }: ShellHookRow): string {
  const tools = matcher === null ? "" : ` [${matcher}]`;
  const last = run === null ? "" : `, last run ${run.ms} ms: ${run.outcome}`;
  return `${event}${tools}: ${command} (${CONSENT[consent]}${last})`;
}

export const hookList = (rows: readonly ShellHookRow[]): string =>
  rows.length === 0 ? "no hooks configured (agent help hooks)" : rows.map(hookLine).join("\n");
