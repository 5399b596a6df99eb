import { layOutHome } from "../../base/home.js";
import type { SkillFinding } from "../../contracts/skills/guard.js";
import { type ExecScope, inspect } from "../../safety/exec/exec.js";
import { toScanLines } from "./lines.js";

/** A part of a file that a shell would read. */
interface ShellPart {
  /** Line of the file that it begins with. */
  readonly line: number;
  readonly text: string;
}

const SHELL_FILE = /\.(?:sh|bash|zsh|ksh)$/i;
const SHELL_FENCE =
  /^[ \t]{0,8}(`{3,}|~{3,})[ \t]*(?:ba|z|k|da)?(?:sh|shell|console|terminal|shell-session|shellscript)?[ \t]*$/i;

/** The shell of a file: all of a script, and the code blocks of a text that are marked as shell or not marked at all. */
export function shellParts(path: string, text: string): readonly ShellPart[] {
  if (SHELL_FILE.test(path) || /^#!\S*[ /](?:env )?(?:ba|z|k|da)?sh\b/.test(text)) return [{ line: 1, text }];
  if (!/\.(?:md|mdx|markdown|txt)$/i.test(path)) return [];
  const parts: ShellPart[] = [];
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; at++) {
    const [fence, mark = ""] = /^[ \t]{0,8}(`{3,}|~{3,})/.exec(lines[at] ?? "") ?? [];
    if (fence === undefined) continue;
    const first = at + 1;
    for (at += 1; at < lines.length && !(lines[at] ?? "").trimStart().startsWith(mark); at++);
    if (SHELL_FENCE.test(lines[first - 1] ?? ""))
      parts.push({ line: first + 1, text: lines.slice(first, at).join("\n") });
  }
  return parts;
}

/** A place that no machine has: what a line means must not depend on this one. */
const NOWHERE = "/nonexistent-home";
const SCOPE: ExecScope = {
  home: layOutHome(`${NOWHERE}/.agent`),
  userHome: NOWHERE,
  project: `${NOWHERE}/project`,
  cwd: `${NOWHERE}/project`,
  env: {},
  temporary: ["/tmp"],
};

const LINES_MAX = 500;
const LINE_CHARS = 1_000;
/** Lines without one of these programs or signs are not parsed. */
const WORTH =
  /\b(?:rm|rmdir|shred|find|dd|mkfs|kill|pkill|killall|chmod|chown|tee|cp|mv|ln|install|sudo|cat|base64|scp|rsync|curl|wget|nc|xargs|eval|sh|bash|shutdown|reboot|halt|poweroff|history|crontab)\b|>/;

/** Risks of a command that say something of a skill; what is only unknown does not. */
const MEANING: Readonly<Record<string, Pick<SkillFinding, "rule" | "severity"> & { readonly what: string }>> = {
  "rm-outside": { rule: "destructive", severity: "caution", what: "removes outside of the project" },
  disk: { rule: "destructive", severity: "dangerous", what: "works on a disk as a whole" },
  "kill-broad": { rule: "destructive", severity: "caution", what: "ends processes by name" },
  "download-run": { rule: "obfuscation", severity: "caution", what: "downloads code and runs it" },
  disguised: { rule: "obfuscation", severity: "caution", what: "disguises what it runs" },
  "system-write": { rule: "persistence", severity: "caution", what: "writes files of the system" },
};

interface ShellFinding extends Pick<SkillFinding, "rule" | "severity" | "line"> {
  readonly what: string;
}

/** What the parser of commands says about the shell lines of a file. */
export function shellFindings(path: string, text: string): readonly ShellFinding[] {
  const found: ShellFinding[] = [];
  let looked = 0;
  for (const part of shellParts(path, text))
    for (const { text: line, line: at } of toScanLines(part.text)) {
      const command = line.replace(/^\s*[$#>]\s+/, "").trim();
      if (command === "" || command.startsWith("#") || command.length > LINE_CHARS || !WORTH.test(command)) continue;
      looked += 1;
      const where = part.line + at - 1;
      if (looked > LINES_MAX)
        return [
          ...found,
          { rule: "unreadable", severity: "caution", what: "more commands than are judged, from here on", line: where },
        ];
      found.push(...judge(command, where));
    }
  return found;
}

function judge(command: string, line: number): readonly ShellFinding[] {
  const { blocked, risks } = inspect(command, SCOPE);
  const own: ShellFinding[] = risks.flatMap((risk) => {
    const meaning = MEANING[risk.class];
    if (meaning !== undefined) return [{ ...meaning, line }];
    return risk.firm === true
      ? [{ rule: "exfiltration", severity: "dangerous", what: "reads a file with secrets", line } as const]
      : [];
  });
  if (blocked === undefined) return own;
  const hard = blocked.startsWith("BLOCKED (hardline)");
  return [
    ...own,
    {
      rule: hard ? "destructive" : "persistence",
      severity: hard ? "dangerous" : "caution",
      what: hard ? blocked.replace("BLOCKED (hardline): ", "") : "changes files that tools may not write",
      line,
    },
  ];
}
