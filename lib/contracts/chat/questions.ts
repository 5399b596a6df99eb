/** Questions that a conversation asks the people who look at it (core part, 1.3, 1.4, 20.6, 25.1). */
import type { EpochMs, SessionId, TurnId } from "../../base/units.js";
import type { PermissionTest } from "../config/permissions.js";
import type { FormAsked, FormContent, FormGiven } from "./form.js";

/** What an approval is about. */
export type ApprovalKind = "command" | "write" | "tool" | "script" | "desktop" | "password";

/** `edits`: this write, and all edits inside the project for this session. */
export type ApprovalOption = "once" | "session" | "project" | "always" | "edits" | "deny";

/** Rules as they would be stored, one line of a rule file each, by the answer that stores them. */
export type OfferedRules = Readonly<Partial<Record<"session" | "project" | "always", readonly string[]>>>;

/** How far the rule of an answer reaches: as narrow as the command, any arguments of its sub-command, any files of its directory. */
export const RULE_WIDTHS = ["exact", "arguments", "directory"] as const;
export type RuleWidth = (typeof RULE_WIDTHS)[number];

/** What an approval shows: event `approval.requested` without `request`, `origin` and `expires_at`. */
export interface ApprovalAsked {
  readonly kind: ApprovalKind;
  readonly tool: string;
  readonly call_id: string;
  /** Exactly what will run; control characters escaped, placeholders as they are. */
  readonly command: string;
  readonly cwd: string;
  /** `why`: what makes the part one of its class. */
  readonly segments: readonly { readonly argv: string; readonly class?: string; readonly why?: string }[];
  readonly reasons: readonly { readonly class: string; readonly text: string }[];
  readonly diff?: string;
  readonly options: readonly ApprovalOption[];
  readonly rules: OfferedRules;
  /** Rules of the widths above `exact`, where there are any. */
  readonly wider?: Readonly<Partial<Record<Exclude<RuleWidth, "exact">, OfferedRules>>>;
}

export interface ClarifyAsked {
  readonly question: string;
  /** At most four; front ends add a free answer. */
  readonly choices: readonly string[];
}

/** A value that is never stored, logged or told in an event. */
export interface HiddenAsked {
  readonly prompt: string;
}

/** Who a question comes from and where it is shown: those of a child are shown in the lineage of its parent. */
export interface QuestionOrigin {
  readonly session_id: SessionId;
  readonly child?: string;
  readonly profile: string;
}

interface Open {
  /** Names the question in answers. */
  readonly request: string;
  /** Session whose front ends show it. */
  readonly session_id: SessionId;
  /** Lineage whose front ends may answer it. */
  readonly lineage_root: SessionId;
  readonly turn_id: TurnId | null;
  readonly asked_at: EpochMs;
  /** Null: it waits for ever. A terminal that shows it may hold the time while its user looks at it. */
  readonly expires_at: EpochMs | null;
  readonly origin: QuestionOrigin;
}

/** A question that waits for its answer. */
export type OpenQuestion =
  | (Open & { readonly kind: "approval"; readonly data: ApprovalAsked })
  | (Open & { readonly kind: "clarify"; readonly data: ClarifyAsked })
  | (Open & { readonly kind: "form"; readonly data: FormAsked })
  | (Open & { readonly kind: "password" | "secret"; readonly data: HiddenAsked });

/** A form that is asked. */
export type FormQuestion = Extract<OpenQuestion, { kind: "form" }>;

/** Why a question is closed without an answer of a person. */
export type CloseReason = "timeout" | "interrupted" | "owner stopped";

/** Outcome of a question, for its asker. `by`: the front end that answered, or why it was closed. `content`: of a form that was accepted. */
export type QuestionOutcome =
  | {
      readonly answered: true;
      readonly answer: string;
      readonly text?: string;
      readonly content?: FormContent;
      readonly by: string;
    }
  | { readonly answered: false; readonly why: CloseReason | "cancelled" | "nobody"; readonly by: string };

export interface ApprovalAnswer {
  readonly answer: ApprovalOption;
  /** Reason of a denial; it goes to the model. */
  readonly text?: string | undefined;
  /** Of the rule that is stored; absent: `exact`. */
  readonly width?: RuleWidth | undefined;
}

/** Every method throws E_ALREADY_RESOLVED when the question has ended, E_NOT_FOUND when there never was one. */
export interface QuestionsApi {
  /** Open questions, oldest first: all, or those that front ends of this session's lineage show. */
  questions(session?: SessionId): Promise<readonly OpenQuestion[]>;
  /** @throws E_INVALID when the question does not offer the answer, E_CONFIG when a rule file cannot be written: it stays open */
  answerApproval(request: string, answer: ApprovalAnswer, by: string): Promise<void>;
  /** `undefined`: the user cancelled. */
  answerClarify(request: string, answer: string | undefined, by: string): Promise<void>;
  /** @throws E_INVALID with the first fault of each field (`faults`) when the content breaks the form: it stays open */
  answerForm(request: string, given: FormGiven, by: string): Promise<void>;
  /** `undefined`: the user gave none. */
  answerHidden(kind: "password" | "secret", request: string, value: string | undefined, by: string): Promise<void>;
  /**
   * The user of a front end looks at it: the time until it is closed starts over, and does not run at all for a clarification.
   *
   * @returns when it closes by itself from now on; null: it waits
   */
  touch(request: string): Promise<EpochMs | null>;
  /**
   * How the rules come to ask about the command that waits, which may hold what no front end is shown.
   *
   * @throws E_INVALID when the question is not about a command
   */
  explain(request: string): Promise<PermissionTest>;
  /**
   * A front end that can answer looks at this session until the signal aborts. Questions of its lineage are asked instead of being denied at
   * once.
   */
  attach(session: SessionId, until: AbortSignal): Promise<void>;
}
