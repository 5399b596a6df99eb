import type {
  HubRow,
  InstalledSkill,
  SkillAudit,
  SkillFileUpdate,
  SkillPreview,
  SkillUses,
} from "../../contracts/skills/hub.js";
import { toScreenLine } from "../../safety/redact/text.js";

const LINE_CHARS = 300;
const FINDINGS_SHOWN = 30;
const FILES_SHOWN = 40;

/** Text of others on one line, without control characters. */
const line = (text: string): string => toScreenLine(text, LINE_CHARS);

/** Rows in columns; the last one is not padded. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => (row[at] ?? "").length)));
  return rows
    .map((row) =>
      row
        .map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** One line for each skill that a source offers. */
export const offerTable = (rows: readonly HubRow[]): string =>
  columns(
    rows.map((row) => [line(row.identifier), row.trust, row.installed ? "installed" : "", line(row.description)]),
  );

/** One line for each installed skill. */
export const installedTable = (rows: readonly InstalledSkill[]): string =>
  columns(
    rows.map((row) => [
      row.name,
      line(row.version),
      row.trust,
      row.verdict,
      row.state === "changed" ? `changed: ${row.changes.slice(0, 3).map(line).join(", ")}` : row.state,
      line(row.identifier),
    ]),
  );

const list = (name: string, values: readonly string[], none = ""): readonly string[] =>
  values.length === 0 ? (none === "" ? [] : [`  ${name}: ${none}`]) : [`  ${name}: ${values.map(line).join(", ")}`];

/** What the texts of a skill name, for the person who decides about it. */
const usesLines = (uses: SkillUses): readonly string[] => [
  ...list("tools", uses.tools, "all that the conversation has"),
  ...list("hosts", uses.hosts, "none named"),
  ...list("programs", uses.programs, "none named"),
  ...list("files outside", uses.paths, "none named"),
  ...list("scripts", uses.scripts, "none"),
  ...list("variables", uses.variables),
];

const counted = (findings: number): string => (findings === 1 ? "1 finding" : `${findings} findings`);

const findingLines = (findings: SkillPreview["findings"]): readonly string[] => {
  const more = findings.length - FINDINGS_SHOWN;
  return [
    ...findings
      .slice(0, FINDINGS_SHOWN)
      .map(
        ({ severity, rule, file, line: at, text }) =>
          `    ${severity} ${rule}  ${line(file)}${at === 0 ? "" : `:${at}`}  ${line(text)}`,
      ),
    ...(more > 0 ? [`    and ${more} more`] : []),
  ];
};

/** Everything that was found out about a skill before it is installed. */
export function previewText(preview: SkillPreview): string {
  const { files, decision } = preview;
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const more = files.length - FILES_SHOWN;
  return [
    ...preview.warnings.map((text) => `warning: ${line(text)}`),
    `${preview.name}${preview.version === "" ? "" : ` ${line(preview.version)}`}`,
    ...(preview.description === "" ? [] : [`  ${line(preview.description)}`]),
    `  from: ${line(preview.identifier)} (${preview.source}, ${preview.trust})`,
    ...list("commit", preview.commit === "" ? [] : [preview.commit]),
    ...list("license", preview.license === "" ? [] : [preview.license]),
    `  installs to: skills/${preview.path}`,
    `  files: ${files.length}, ${bytes} bytes, sha256 ${preview.hash}`,
    ...files.slice(0, FILES_SHOWN).map(({ path, size }) => `    ${line(path)} (${size})`),
    ...(more > 0 ? [`    and ${more} more`] : []),
    "What its files say that it uses:",
    ...usesLines(preview.uses),
    `Scan: ${preview.verdict}${preview.findings.length === 0 ? "" : `, ${counted(preview.findings.length)}`}`,
    ...findingLines(preview.findings),
    `Policy: ${decision.action}; ${decision.why}`,
  ].join("\n");
}

/** What an update does with each file. */
export const updateLines = (files: readonly SkillFileUpdate[]): readonly string[] =>
  files.map(({ path, action }) =>
    action === "conflict"
      ? `  conflict  ${line(path)} (new: ${line(path)}.new)`
      : `  ${action.padEnd(8)}  ${line(path)}`,
  );

/** An audited skill, its findings below. */
export const auditLines = ({
  name,
  origin,
  state,
  changes,
  installed_verdict,
  verdict,
  findings,
}: SkillAudit): string =>
  [
    `${name} (${origin}): ${verdict}${installed_verdict !== null && installed_verdict !== verdict ? `, ${installed_verdict} when installed` : ""}${state === "unchanged" ? "" : `, files ${state}`}`,
    ...list("  changed", changes),
    ...findingLines(findings),
  ].join("\n");
