import * as z from "zod";
import { toScreenLine } from "../../lib/safety/redact/text.js";

/** A place in a text: line and UTF-16 unit, both from 0, as the protocol counts. */
interface Place {
  readonly line: number;
  readonly character: number;
}

/** An error that a language server found in a file. */
export interface Finding {
  readonly start: Place;
  readonly end: Place;
  readonly code: string;
  readonly source: string;
  readonly message: string;
}

/** Findings of one file that are kept; a server that tells more tells nothing new. */
const KEPT_AT_MOST = 2_000;
const MESSAGE_CHARS = 2_000;
const ERROR = 1;

const place = z.object({ line: z.number().int().min(0), character: z.number().int().min(0) });
const schema = z.looseObject({
  range: z.object({ start: place, end: place }),
  severity: z.number().optional(),
  code: z.union([z.string(), z.number()]).optional(),
  source: z.string().optional(),
  message: z.union([z.string(), z.looseObject({ value: z.string() })]),
});

/** The errors among the diagnostics of a server. Invalid ones are dropped; one without severity counts as an error. */
export function toFindings(diagnostics: unknown): readonly Finding[] {
  if (!Array.isArray(diagnostics)) return [];
  return diagnostics.slice(0, KEPT_AT_MOST).flatMap((one: unknown) => {
    const parsed = schema.safeParse(one);
    if (!parsed.success || (parsed.data.severity ?? ERROR) !== ERROR) return [];
    const { range, code, source, message } = parsed.data;
    const text = typeof message === "string" ? message : message.value;
    return [{ ...range, code: String(code ?? ""), source: source ?? "", message: text.slice(0, MESSAGE_CHARS) }];
  });
}

/** Where a line of the old text stands in the new one, or undefined when it was deleted or replaced. */
export type LineMap = (line: number) => number | undefined;

const keyOf = ({ start, end, code, source, message }: Finding): string =>
  JSON.stringify([start.line, start.character, end.line, end.character, code, source, message]);

function shifted(finding: Finding, moved: LineMap): Finding | undefined {
  const start = moved(finding.start.line);
  const end = moved(finding.end.line);
  if (start === undefined || end === undefined) return undefined;
  return { ...finding, start: { ...finding.start, line: start }, end: { ...finding.end, line: end } };
}

/** Findings that were not there before the lines moved; each old one explains at most one new one. */
export function introducedBy(
  before: readonly Finding[],
  after: readonly Finding[],
  moved: LineMap,
): readonly Finding[] {
  const known = new Map<string, number>();
  for (const finding of before) {
    const same = shifted(finding, moved);
    if (same !== undefined) known.set(keyOf(same), (known.get(keyOf(same)) ?? 0) + 1);
  }
  return after.filter((finding) => {
    const left = known.get(keyOf(finding)) ?? 0;
    if (left > 0) known.set(keyOf(finding), left - 1);
    return left === 0;
  });
}

/** Core part, 19.1. */
const PER_FILE = 20;
const CHARS_AT_MOST = 4_000;
const TITLE = "LSP diagnostics introduced by this edit:";

/** What the model reads; undefined when no file has a finding. */
export function renderFindings(
  files: readonly { readonly path: string; readonly findings: readonly Finding[] }[],
): string | undefined {
  const bad = files.filter(({ findings }) => findings.length > 0);
  if (bad.length === 0) return undefined;
  let text = TITLE;
  for (const [index, { path, findings }] of bad.entries()) {
    const block = renderFile(path, findings, CHARS_AT_MOST - text.length - 60);
    if (block === undefined) return `${text}\n... and ${bad.length - index} more files`;
    text += block;
  }
  return text;
}

/** As many lines as fit; undefined when not even one does. */
function renderFile(path: string, findings: readonly Finding[], room: number): string | undefined {
  const open = `\n<diagnostics file="${toScreenLine(path, 400).replaceAll('"', "&quot;")}">`;
  const close = "\n</diagnostics>";
  let text = open;
  let shown = 0;
  for (const finding of inOrder(findings).slice(0, PER_FILE)) {
    const line = `\n${renderLine(finding)}`;
    if (text.length + line.length + close.length + 24 > room) break;
    text += line;
    shown += 1;
  }
  if (shown === 0) return undefined;
  return `${text}${shown < findings.length ? `\n... and ${findings.length - shown} more` : ""}${close}`;
}

const inOrder = (findings: readonly Finding[]): readonly Finding[] =>
  findings.toSorted((a, b) => a.start.line - b.start.line || a.start.character - b.start.character);

function renderLine({ start, code, source, message }: Finding): string {
  const tail = `${code === "" ? "" : ` [${toScreenLine(code, 80)}]`}${source === "" ? "" : ` (${toScreenLine(source, 80)})`}`;
  return `ERROR [${start.line + 1}:${start.character + 1}] ${toScreenLine(message, 600)}${tail}`;
}
