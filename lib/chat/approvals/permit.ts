import { AppError } from "../../base/errors.js";
import type { Clock } from "../../base/time/clock.js";
import type {
  ApprovalAnswer,
  ApprovalAsked,
  ApprovalOption,
  OfferedRules,
  QuestionOutcome,
} from "../../contracts/chat/questions.js";
import type { HookBus } from "../../contracts/hooks/hooks.js";
import type { AuxClient } from "../../contracts/models/auxiliary.js";
import {
  type ApprovalDecision,
  type AskDecision,
  answerHeadless,
  decideCall,
  NO_WAY_ROUND,
  type ToolApproval,
  type Unanswered,
} from "../../safety/approve/approve.js";
import { howToAllow } from "../../safety/approve/denial.js";
import { type OfferedValues, ruleText } from "../../safety/approve/offer.js";
import { addRules, trustProject } from "../../safety/rules/file.js";
import { visible } from "../../safety/shell/visible.js";
import type { Permission } from "../../tools/core/define.js";
import type { Asker } from "../questions/asker.js";
import type { QuestionOptions } from "../questions/desk.js";
import type { CallPlace } from "./call.js";
import { explainCommand, withoutSecrets } from "./explain.js";
import type { Scoped } from "./scope.js";
import { type SmartVerdict, smartVerdict } from "./smart.js";
import { offerTrust } from "./trust.js";
import { createLineageFiles, freshPrograms, type LineageFiles, noteAllowed } from "./turn-facts.js";

export interface PermitDeps {
  readonly clock: Clock;
  scope(): Promise<Scoped>;
  /** Absent: no one can be asked here. */
  readonly asker?: Asker;
  readonly aux?: AuxClient;
  /** What a scanner of commands finds; undefined: nothing. */
  scan?(permission: Permission, signal: AbortSignal): Promise<string | undefined>;
  /** Store rules for this lineage. */
  grant(values: readonly unknown[]): Promise<void>;
  /** Edits inside the project are not asked about in this lineage any more. */
  grantEdits(): Promise<void>;
  /** A rule has allowed something. */
  used(decision: ApprovalDecision): void;
  redact(text: string): string;
  readonly timeoutMs: () => number;
  /** Hooks that are notified of questions and answers, and whose they are. */
  readonly told?: { readonly hooks: HookBus; readonly session: string; readonly surface: string };
  /** What would be asked is allowed, because the user has set it so for scheduled conversations. */
  readonly approves?: () => boolean;
  /** Files of the lineage; absent: of this conversation alone, while it is open. */
  readonly files?: LineageFiles;
}

/** Permissions of one conversation: the table of core part 20.1, and the question where it says ask. Rejects when the call is interrupted. */
export function createPermit(deps: PermitDeps): (permission: Permission, call: CallPlace) => Promise<ToolApproval> {
  const files = deps.files ?? createLineageFiles();
  return async (permission, call) => {
    const asked: Asked = { deps, files, permission, call };
    const { decision, scope } = await judged(asked);
    const answer = decision.outcome === "ask" ? await settle(asked, decision) : answerHeadless(decision);
    if (!answer.allowed) return answer;
    remember(asked, decision, scope.paths);
    return decision.outcome === "ask" ? { ...answer, ...givenWith(decision) } : answer;
  };
}

/** What an answer that allows gives beside the permission. */
const givenWith = ({
  hides,
  clients,
}: AskDecision): Pick<Extract<ToolApproval, { allowed: true }>, "hides" | "clients"> => ({
  ...(hides === undefined ? {} : { hides }),
  ...(clients === undefined ? {} : { clients }),
});

interface Asked {
  readonly deps: PermitDeps;
  readonly files: LineageFiles;
  readonly permission: Permission;
  readonly call: CallPlace;
}

interface Judged extends Scoped {
  readonly decision: ApprovalDecision;
}

async function scopeOf({ deps, files }: Asked): Promise<Scoped> {
  const found = await deps.scope();
  const paths = { ...found.scope.paths, fresh: freshPrograms(files), written: files.written };
  return { ...found, scope: { ...found.scope, paths } };
}

async function judged(asked: Asked): Promise<Judged> {
  const { deps, permission, call } = asked;
  const found = await scopeOf(asked);
  const { scope } = found;
  const decision = decideCall(permission, scope);
  for (const error of scope.rules.errors) call.facts?.tell(error);
  const settled =
    decision.outcome === "blocked" ||
    decision.outcome === "denied" ||
    (decision.outcome === "allowed" && decision.by === "yolo");
  if (settled || permission.kind !== "command" || deps.scan === undefined) return { ...found, scope, decision };
  const scanned = await deps.scan(permission, call.signal);
  if (scanned === undefined) return { ...found, scope, decision };
  return { ...found, scope, decision: decideCall(permission, { ...scope, scanned }) };
}

/** The model first, where the settings say so; then the people who look; without either it is denied. */
async function settle(asked: Asked, first: AskDecision): Promise<ToolApproval> {
  const { deps, call } = asked;
  const { asker } = deps;
  if (deps.approves?.() === true && first.person !== true && !leavesCage(first))
    return { allowed: true, by: "approvals.cron_mode" };
  if (asker?.reached() === true && (await trusts(asked))) {
    const { decision } = await judged(asked);
    if (decision.outcome !== "ask") return answerHeadless(decision);
  }
  const verdict = await judge(asked, first);
  if (verdict.say === "deny") return refused(`Denied by the approval model: ${verdict.why}.\n${howToAllow(first)}\n`);
  if (verdict.say === "approve" && call.facts?.untrusted !== true) return { allowed: true, by: "approval model" };
  const why: Unanswered = verdict.say === "unsure" || verdict.say === "unavailable" ? verdict.say : "person";
  if (asker === undefined) return headless(asked, first, why);
  const data = await toQuestion(asked, first);
  const take = (answer: ApprovalAnswer) => store(asked, first, answer);
  const fields = { ...hookFields(data), session_key: deps.told?.session ?? "", surface: deps.told?.surface ?? "" };
  deps.told?.hooks.tell("pre_approval_request", fields);
  const answered = await asker.ask(
    { kind: "approval", data },
    {
      signal: call.signal,
      turn: call.turn,
      child: call.child,
      timeoutMs: deps.timeoutMs(),
      take,
      ...explaining(asked),
    },
  );
  deps.told?.hooks.tell("post_approval_response", { ...fields, choice: choiceIn(answered) });
  return answered.answered ? after(asked, answered) : unanswered(asked, first, answered, why);
}

const hookFields = ({ command, reasons }: ApprovalAsked) => ({
  command,
  description: reasons.map(({ text }) => text).join("; "),
  pattern_keys: reasons.map((reason) => reason.class),
});

/** The answer in the words of hooks: rules of a project last, as those of the user do. */
function choiceIn(answered: QuestionOutcome): string {
  if (!answered.answered) return "timeout";
  if (answered.answer === "project") return "always";
  return answered.answer === "edits" ? "session" : answered.answer;
}

/** No setting lets a call leave the cage: only a person or a rule does. */
const leavesCage = ({ reasons }: AskDecision): boolean => reasons.some((reason) => reason.class === "outside-cage");

/** What the approval model says; `person`: it is not for a model to say. */
async function judge(
  { deps, permission, call }: Asked,
  first: AskDecision,
): Promise<SmartVerdict | { readonly say: "person" }> {
  if (!first.smart) return { say: "person" };
  return deps.aux === undefined ? { say: "unavailable" } : smartVerdict(deps.aux, permission, first, call.signal);
}

/** How the rules come to ask, of the command itself: what front ends are shown of it is escaped and without secrets. */
function explaining(asked: Asked): Pick<QuestionOptions, "explain"> {
  const { deps, permission } = asked;
  if (permission.kind !== "command" || permission.code !== undefined) return {};
  const explain = async () => {
    const { scope } = await scopeOf(asked);
    return withoutSecrets(explainCommand(permission.command, permission.cwd, scope), deps.redact);
  };
  return { explain };
}

async function trusts({ deps, call }: Asked): Promise<boolean> {
  const { asker } = deps;
  if (asker === undefined) return false;
  const { scope, files } = await deps.scope();
  return offerTrust({ asker, rules: scope.rules, files, timeoutMs: deps.timeoutMs() }, call);
}

/** What may have changed while the question was open: a rule that denies, or a path that leads elsewhere now. */
async function after(asked: Asked, answered: Extract<QuestionOutcome, { answered: true }>): Promise<ToolApproval> {
  if (answered.answer === "deny")
    return {
      ...refused(`Denied by the user${answered.text === undefined ? "." : `: ${answered.text}`}`),
      byUser: true,
    };
  const { decision } = await judged(asked);
  if (decision.outcome === "blocked" || decision.outcome === "denied") return answerHeadless(decision);
  const { answer } = answered;
  return {
    allowed: true,
    by: `user: ${answer}`,
    ...(decision.outside === true ? { outside: true } : {}),
    ...(asked.permission.program === undefined ? {} : { chosen: toOption(answer) }),
  };
}

const OPTIONS: readonly ApprovalOption[] = ["once", "session", "project", "always", "edits"];

/** The answer as one of those that allow; the desk takes no other. */
const toOption = (answer: string): ApprovalOption => OPTIONS.find((option) => option === answer) ?? "once";

/** The reader of the turn's end is shown rules that would have helped if they had been trusted. */
function headless({ call }: Asked, decision: AskDecision, why: Unanswered): ToolApproval {
  for (const notice of decision.notices) call.facts?.tell(notice);
  return answerHeadless(decision, why);
}

function unanswered(
  asked: Asked,
  decision: AskDecision,
  answered: Extract<QuestionOutcome, { answered: false }>,
  judged: Unanswered,
): ToolApproval {
  const { deps, call } = asked;
  const { why } = answered;
  if (why === "nobody") return headless(asked, decision, judged);
  if (why === "interrupted" || call.signal.aborted) throw call.signal.reason;
  const seconds = Math.round(deps.timeoutMs() / 1000);
  return refused(`Denied: no one answered within ${seconds} s. Silence is not consent.`);
}

const refused = (message: string): Extract<ToolApproval, { allowed: false }> => ({
  allowed: false,
  status: "denied",
  message: `${message} ${NO_WAY_ROUND}`,
});

async function toQuestion({ deps, permission, call }: Asked, decision: AskDecision): Promise<ApprovalAsked> {
  const shown = (text: string) => visible(deps.redact(text));
  // A rule that would hold a secret is not stored anywhere.
  const storable = ({ session, project, always }: OfferedValues) =>
    [...session, ...project, ...always].every((value) => deps.redact(ruleText(value)) === ruleText(value));
  const options = decision.options.filter(
    (option) =>
      option === "once" ||
      option === "deny" ||
      (storable(decision.offered) && (option !== "project" || !decision.untrusted)),
  );
  const rulesOf = (values: OfferedValues): OfferedRules =>
    Object.fromEntries(
      SCOPES.flatMap((name) => (options.includes(name) ? [[name, values[name].map(ruleText)] as const] : [])),
    );
  const wider = Object.entries(decision.wider ?? {}).filter(([, values]) => storable(values));
  const diff = await permission.diff?.();
  return {
    kind: permission.kind,
    tool: permission.tool,
    call_id: call.callId,
    command: shown(permission.command),
    cwd: permission.cwd,
    options,
    rules: rulesOf(decision.offered),
    wider: Object.fromEntries(wider.map(([width, values]) => [width, rulesOf(values)])),
    segments: decision.segments.map((segment) => ({
      ...segment,
      argv: deps.redact(segment.argv),
      ...(segment.why === undefined ? {} : { why: shown(segment.why) }),
    })),
    reasons: decision.reasons.map((reason) => ({ class: reason.class, text: shown(reason.text) })),
    ...(diff === undefined || diff === "" ? {} : { diff: deps.redact(diff) }),
  };
}

const SCOPES = ["session", "project", "always"] as const;

/** Carry out what an answer stores, before it counts. @throws E_CONFIG when a rule file is broken */
async function store(
  { deps, permission }: Asked,
  { offered: exact, wider }: AskDecision,
  { answer, width = "exact" }: ApprovalAnswer,
): Promise<void> {
  const offered = width === "exact" ? exact : wider?.[width];
  if (offered === undefined) throw new AppError("E_INVALID", `the width ${width} is not offered`);
  if (answer === "session") return deps.grant(offered.session);
  // What was allowed on a desktop dies with its conversation (core part, 20.8).
  if (answer === "always" && permission.kind === "desktop") return deps.grant(offered.always);
  if (answer === "edits") return deps.grantEdits();
  if (answer !== "project" && answer !== "always") return;
  const { files } = await deps.scope();
  const path = answer === "project" ? files.project : files.user;
  await addRules(path, "allow", offered[answer].map(ruleText), answer === "project" ? 0o644 : 0o600);
  if (answer === "project") await trustProject(files);
}

function remember(
  { deps, files, permission }: Asked,
  decision: ApprovalDecision,
  paths: Scoped["scope"]["paths"],
): void {
  deps.used(decision);
  if (permission.kind !== "tool") noteAllowed(files, permission, { ...paths, cwd: permission.cwd });
}
