import { toIso } from "../../../base/units.js";
import { type CageTest, cageLine } from "../../../contracts/config/cage.js";
import type { ListedCage, ListedRule, PermissionList, PermissionTest } from "../../../contracts/config/permissions.js";
import { allowCommand } from "../../../safety/approve/denial.js";

/** A rule for machines: times are ISO 8601. */
export const ruleJson = (rule: ListedRule) => ({
  ...rule,
  last_used: rule.last_used === null ? null : toIso(rule.last_used),
});

export const listJson = (list: PermissionList) => ({ ...list, rules: list.rules.map(ruleJson) });

const SCOPES = { user: "everywhere", project: "this project", session: "this conversation" } as const;

/** Every rule with its number, source and last use, and the switches. */
export function renderList(list: PermissionList): string {
  const { mode, edits, yolo, classes, trusted } = list;
  const head = [
    `mode ${mode}, edits ${edits}${yolo ? "; APPROVALS ARE OFF: calls that are not denied or blocked run without asking" : ""}`,
    ...(classes.length === 0 ? [] : [`allowed everywhere: ${classes.join(", ")}`]),
    ...(trusted === false
      ? [`${list.project_file} is not trusted: its allow rules are ignored. agent permissions trust trusts it`]
      : []),
    ...list.notices.filter((notice) => !notice.startsWith(`${list.project_file} is not trusted`)),
  ];
  const tail = list.cage === undefined ? [] : listedCage(list.cage);
  if (list.rules.length === 0) return [...head, "no rules", ...tail].join("\n");
  const width = Math.max(...list.rules.map((rule) => rule.rule.length));
  const rows = list.rules.map((rule) => {
    const used = rule.last_used === null ? "not used yet" : `used ${toIso(rule.last_used)}`;
    return `${String(rule.n).padStart(3)}  ${rule.list.padEnd(5)}  ${rule.rule.padEnd(Math.min(width, 80))}  ${SCOPES[rule.source]}, ${rule.counts ? used : "ignored"}`;
  });
  return [...head, ...rows, ...tail].join("\n");
}

function listedCage(cage: ListedCage): readonly string[] {
  if (cage.state !== "on") return [cageLine(cage)];
  const { writable } = cage;
  return [
    `cage: on; commands can write the project, /tmp${writable.length === 0 ? "" : ` and ${writable.join(", ")}`}`,
  ];
}

/** How a command line was read and what would happen to it. */
export function renderTest(test: PermissionTest): string {
  const width = Math.min(80, Math.max(0, ...test.segments.map((one) => one.argv.length)));
  const segments = test.segments.map(
    (one, at) => `${String(at + 1).padStart(3)}  ${one.argv.padEnd(width)}  ${one.classes.join(", ") || "-"}`,
  );
  const findings = test.findings.map((finding) => `     ${finding.class}: ${finding.text}`);
  const rule = test.rule === undefined ? [] : [`rule: ${test.rule.rule} (${test.rule.source})`];
  const allow = test.rule_to_allow === undefined ? [] : [`allow it with: ${allowCommand(test.rule_to_allow)}`];
  const cage = test.cage === undefined ? [] : testedCage(test.cage);
  return [...segments, ...findings, `decision: ${test.decision} (${test.by})`, ...rule, ...cage, ...allow].join("\n");
}

function testedCage(cage: CageTest): readonly string[] {
  if (cage.state !== "on") return [cageLine(cage)];
  const paths = (how: "read-only" | "hidden") => cage.prevents.flatMap((one) => (one.how === how ? [one.path] : []));
  const readOnly = paths("read-only");
  const hidden = paths("hidden");
  return [
    `cage: runs ${cage.runs}`,
    ...(readOnly.length === 0 ? [] : [`  read-only there: ${readOnly.join(", ")}`]),
    ...(hidden.length === 0 ? [] : [`  hidden there: ${hidden.join(", ")}`]),
    ...(cage.outside === undefined || cage.runs === "outside"
      ? []
      : [`  decision with outside: true: ${cage.outside}`]),
  ];
}
