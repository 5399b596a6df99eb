import { AppError } from "../../../base/errors.js";
import { markBidi } from "../../../base/text/bidi.js";
import { toIso } from "../../../base/units.js";
import { SKILLS_WRITE_APPROVAL } from "../../../contracts/skills/keys.js";
import type { PendingWrite, SkillVersion, WriteFinding, WrittenBy } from "../../../contracts/skills/writes.js";
import { plainText, toScreenLine } from "../../../safety/redact/text.js";
import type { CommandContext } from "../../define.js";

/** Who asks for a change with a command. */
export const PERSON: WrittenBy = { who: "user" };

/**
 * In a chat on a messaging platform, changes of skills are decided only where they are staged (core part, 14.2).
 *
 * @throws E_FORBIDDEN
 */
export function checkDecides({ origin, config }: CommandContext): void {
  if (origin === undefined || config.get(SKILLS_WRITE_APPROVAL)) return;
  throw new AppError("E_FORBIDDEN", "changes of skills are not decided in chats", {
    hint: "set skills.write_approval: true to stage changes and decide them here",
  });
}

/** Text of others on a terminal: without escapes, with characters that turn its order spelled out. */
export const shownText = (text: string): string => markBidi(plainText(text));

function author({ who, session, note }: WrittenBy): string {
  const names = { agent: "the agent", curator: "the curator", user: "you" } as const;
  const of = session === undefined ? "" : ` in ${session}`;
  return `${names[who]}${of}${note === undefined ? "" : ` (${toScreenLine(note, 120)})`}`;
}

export function pendingLines({ id, summary, by, at, verdict, findings }: PendingWrite): readonly string[] {
  const scan = verdict === undefined || verdict === "safe" ? "" : `; scan: ${verdict}`;
  return [
    `${id}  ${toScreenLine(summary, 200)}${scan}`,
    `        ${toIso(at)} by ${author(by)}`,
    ...findingLines(findings),
  ];
}

const findingLines = (findings: readonly WriteFinding[]): readonly string[] =>
  findings.slice(0, 10).map(({ file, line, text }) => `        ${file}:${line} ${toScreenLine(text, 160)}`);

export function versionLine({ number, name, id, summary, by, at }: SkillVersion, of: string): string {
  const label = name === of ? String(number) : id;
  return `${label.padStart(4)}  ${toIso(at)}  ${toScreenLine(summary, 160)}, by ${author(by)}`;
}
