import type { SkillFile, SkillFinding, SkillScan } from "../../contracts/skills/guard.js";
import { type Flag, flagLines, type InjectionId } from "../../safety/redact/injection.js";
import { findShapes } from "../../safety/redact/shapes.js";
import { toScreenLine } from "../../safety/redact/text.js";
import { judgeContent } from "./content.js";
import { type ScanLine, toScanLines } from "./lines.js";
import { LINE_RULES, type LineRule } from "./rules.js";
import { shellFindings } from "./shell-lines.js";

const FINDINGS_MAX = 200;
/** A rule that is met this often in one file is reported. */
const PER_RULE_AND_FILE = 10;
/** Text that is read of all files together. */
const TEXT_BYTES_MAX = 4 << 20;
const FILE_BYTES_MAX = 512 << 10;
const SHOWN_CHARS = 200;

const WEIGHT = { dangerous: 2, caution: 1, note: 0 } as const;

/**
 * Judge the files of a skill. Nothing of them is run or opened; the time that it takes is linear in their size, which is bounded: what is too
 * large to be read is a finding itself.
 */
export function scanSkill(files: readonly SkillFile[]): SkillScan {
  const findings: SkillFinding[] = [];
  let left = TEXT_BYTES_MAX;
  for (const file of files) {
    const { text, finding } = judgeContent(file);
    if (finding !== undefined) findings.push({ line: 0, file: file.path, ...finding });
    if (text === undefined) continue;
    const read = text.slice(0, Math.min(left, FILE_BYTES_MAX));
    left -= read.length;
    if (read.length < text.length)
      findings.push({
        rule: "unreadable",
        severity: "caution",
        file: file.path,
        line: 0,
        text: "more text than is scanned",
      });
    findings.push(...scanText(file.path, read));
  }
  const worst = findings.toSorted(
    (a, b) =>
      WEIGHT[b.severity] - WEIGHT[a.severity] || (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1),
  );
  const top = worst[0]?.severity ?? "note";
  return { verdict: top === "note" ? "safe" : top, findings: worst.slice(0, FINDINGS_MAX) };
}

function scanText(path: string, text: string): readonly SkillFinding[] {
  const plain = text.replace(/^\uFEFF/, "");
  const source = plain.split("\n");
  const show = (what: string, line: number) => `${what}: ${shown(source[line - 1] ?? "")}`;
  const found: SkillFinding[] = [];
  const { flags } = flagLines(plain);
  for (const flag of flags)
    for (const meaning of meanings(flag, source))
      found.push({ ...meaning, file: path, line: flag.line, text: show(meaning.text, flag.line) });
  for (const { line, what, severity } of hiddenCharacters(source))
    found.push({ rule: "hidden-text", severity, file: path, line, text: show(what, line) });
  const lines = toScanLines(plain);
  for (const { rule, severity, what, line } of [...ruleFindings(lines), ...shellFindings(path, plain)])
    found.push({ rule, severity, file: path, line, text: show(what, line) });
  for (const { line, type } of secretLines(plain))
    found.push({
      rule: "embedded-secret",
      severity: "caution",
      file: path,
      line,
      text: `holds what looks like a secret (${type.replaceAll("_", " ")})`,
    });
  return perRule(found);
}

/** One finding of a rule a line, the worst; at most ten a file, so that one line that comes again cannot hide the others. */
function perRule(found: readonly SkillFinding[]): readonly SkillFinding[] {
  const byPlace = new Map<string, SkillFinding>();
  for (const one of found) {
    const key = `${one.rule}:${one.line}`;
    const known = byPlace.get(key);
    if (known === undefined || WEIGHT[one.severity] > WEIGHT[known.severity]) byPlace.set(key, one);
  }
  const counts = new Map<string, number>();
  return [...byPlace.values()].filter(({ rule, severity }) => {
    const key = `${rule}:${severity}`;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count <= PER_RULE_AND_FILE;
  });
}

/** What the marks of injected text mean for a skill, which speaks to the model by its nature. */
const FLAG_MEANINGS: Readonly<Partial<Record<InjectionId, Pick<SkillFinding, "rule" | "severity" | "text">>>> = {
  ignore_previous: { rule: "prompt-override", severity: "dangerous", text: "sets other instructions aside" },
  role_hijack: { rule: "prompt-override", severity: "note", text: "gives the model a role" },
  prompt_override: { rule: "prompt-override", severity: "caution", text: "claims to be a system prompt" },
  prompt_exfiltration: { rule: "prompt-override", severity: "dangerous", text: "asks for the system prompt" },
  secret_upload: { rule: "exfiltration", severity: "note", text: "uses a secret in a request" },
};

function meanings({ ids, line }: Flag, source: readonly string[]) {
  return ids.flatMap((id) => {
    if (id === "hidden_text" && isAscii(source[line - 1] ?? ""))
      return [{ rule: "hidden-text", severity: "caution", text: "speaks to the model in a comment" } as const];
    const meaning = FLAG_MEANINGS[id];
    return meaning === undefined ? [] : [meaning];
  });
}

const isAscii = (line: string) => !/[^\u0000-\u007f]/.test(line);

/** Region flags are a black flag and tag characters. */
const REGION_FLAG = /\u{1f3f4}[\u{e0020}-\u{e007f}]{1,12}/gu;
const SMUGGLED = /[\u{e0000}-\u{e007f}]|[\u{fe00}-\u{fe0f}\u{e0100}-\u{e01ef}]{4}/u;
const OVERRIDES = /[\u202d\u202e]/;
const BIDI = /[\u202a-\u202c\u2066-\u2069]/;
const ZERO_WIDTH =
  /[\u00ad\u180e\u200b\u2060-\u2064\ufeff\u115f\u1160\u3164\uffa0]|(?<=[A-Za-z0-9])[\u200c\u200d](?=[A-Za-z0-9])/;
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;

interface HiddenLine extends Pick<SkillFinding, "line" | "severity"> {
  readonly what: string;
}

function hiddenCharacters(source: readonly string[]): readonly HiddenLine[] {
  return source.flatMap((line, index): readonly HiddenLine[] => {
    const plain = line.endsWith("\r") ? line.slice(0, -1) : line;
    const text = isAscii(plain) ? plain : plain.replace(REGION_FLAG, "");
    const at = { line: index + 1 };
    if (SMUGGLED.test(text))
      return [{ ...at, severity: "dangerous", what: "holds characters that show nothing and carry text" }];
    if (OVERRIDES.test(text))
      return [{ ...at, severity: "dangerous", what: "shows its characters in another order than they are read" }];
    if (BIDI.test(text) || ZERO_WIDTH.test(text))
      return [{ ...at, severity: "caution", what: "holds invisible characters" }];
    return CONTROL.test(text) ? [{ ...at, severity: "caution", what: "holds control characters" }] : [];
  });
}

/** Where the sentences of two lines meet. */
const PAIR_CHARS = 200;

interface RuleFinding extends Pick<LineRule, "rule" | "severity" | "what"> {
  readonly line: number;
}

/** Only lines that hold a hint of a rule are tested for it. */
function ruleFindings(lines: readonly ScanLine[]): readonly RuleFinding[] {
  const text = lines.map((line) => line.text.toLowerCase()).join("\n");
  const starts: number[] = [];
  for (let at = 0; at !== 0 || starts.length === 0; at = text.indexOf("\n", at) + 1) starts.push(at);
  const found: RuleFinding[] = [];
  for (const rule of LINE_RULES) {
    const tested = new Set<number>();
    let count = 0;
    for (const hint of rule.hints) {
      let index = 0;
      for (let at = text.indexOf(hint); at !== -1; at = text.indexOf(hint, starts[index + 1] ?? text.length)) {
        index = lineAt(starts, at, index);
        if (count >= PER_RULE_AND_FILE) break;
        if (tested.has(index)) continue;
        tested.add(index);
        const line = lines[index];
        if (line === undefined || !matches(rule, lines, index)) continue;
        count += 1;
        found.push({ rule: rule.rule, severity: rule.severity, what: rule.what, line: line.line });
      }
    }
  }
  return found;
}

/** Index of the line that holds a place; those before `from` do not. */
function lineAt(starts: readonly number[], at: number, from: number): number {
  let low = from;
  let high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= at) low = middle;
    else high = middle;
  }
  return low;
}

function matches(rule: LineRule, lines: readonly ScanLine[], index: number): boolean {
  const all = (text: string) => rule.all.every((pattern) => pattern.test(text));
  const own = lines[index]?.text ?? "";
  if (all(own)) return true;
  if (rule.prose !== true) return false;
  const before = lines[index - 1]?.text ?? "";
  const after = lines[index + 1]?.text ?? "";
  return (
    (before !== "" && all(`${before.slice(-PAIR_CHARS)} ${own.slice(0, PAIR_CHARS)}`)) ||
    (after !== "" && all(`${own.slice(-PAIR_CHARS)} ${after.slice(0, PAIR_CHARS)}`))
  );
}

/** Secrets by their shape alone: names and fields are what documentation is full of. */
function secretLines(text: string) {
  let line = 1;
  let at = 0;
  return findShapes(text, true)
    .toSorted((a, b) => a.from - b.from)
    .slice(0, PER_RULE_AND_FILE)
    .map(({ from, type }) => {
      for (; at < from; at++) if (text.charCodeAt(at) === 10) line += 1;
      return { line, type };
    });
}

/** A line as it can be shown: without secrets and control characters, hidden ones written out. */
function shown(line: string): string {
  const cut = line.trim().slice(0, SHOWN_CHARS * 2);
  let text = cut;
  for (const { from, to } of findShapes(cut, true).toSorted((a, b) => b.from - a.from))
    text = `${text.slice(0, from)}***${text.slice(to)}`;
  const visible = text.replace(
    /\p{Variation_Selector}|[\u00ad\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\u3164\ufeff\uffa0\u{e0000}-\u{e007f}]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
  return toScreenLine(visible, SHOWN_CHARS);
}
