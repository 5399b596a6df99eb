import { sha256 } from "../../base/text/hash.js";
import type { ApprovalAsked } from "../../contracts/chat/questions.js";
import { shownRule } from "../../safety/approve/offer.js";
import { trustProject } from "../../safety/rules/file.js";
import { type RuleFiles, type RuleSet, trustHash } from "../../safety/rules/rules.js";
import { visible } from "../../safety/shell/visible.js";
import type { Asker } from "../questions/asker.js";
import type { CallPlace } from "./call.js";

export interface TrustDeps {
  readonly asker: Asker;
  readonly rules: RuleSet;
  readonly files: RuleFiles;
  readonly timeoutMs: number;
}

/** Allow lists that this process has asked about: each is asked about once, in this form. */
const askedAbout = new Set<string>();

/**
 * A project brings rules that would allow, and they are not trusted yet: ask once, listing them (core part, 20.5).
 *
 * @returns whether they are trusted now
 */
export async function offerTrust({ asker, rules, files, timeoutMs }: TrustDeps, call: CallPlace): Promise<boolean> {
  if (rules.untrusted.length === 0) return false;
  const hash = await trustHash(files);
  const about = sha256(`${files.trust}\0${files.project}\0${hash}`);
  if (askedAbout.has(about)) return false;
  askedAbout.add(about);
  const data: ApprovalAsked = {
    kind: "tool",
    tool: "permissions",
    call_id: call.callId,
    cwd: call.cwd,
    command: visible(`trust the allow rules of ${files.project}`),
    segments: rules.untrusted.map((rule) => ({ argv: visible(shownRule(rule)) })),
    reasons: [
      { class: "rule", text: `${rules.untrusted.length} rules of this project would allow calls without asking` },
    ],
    options: ["project", "deny"],
    rules: { project: rules.untrusted.map((rule) => visible(shownRule(rule))) },
  };
  const take = async () => undefined;
  const answered = await asker.ask(
    { kind: "approval", data },
    { signal: call.signal, turn: call.turn, timeoutMs, take },
  );
  if (call.signal.aborted) throw call.signal.reason;
  if (!answered.answered || answered.answer !== "project") return false;
  if ((await trustHash(files)) !== hash) return false; // it was changed while the question was open: that is another list
  await trustProject(files);
  return true;
}
