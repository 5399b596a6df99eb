import type { ApprovalOption } from "../../contracts/chat/questions.js";
import type { ExecScope, RiskClass } from "../exec/exec.js";
import type { RuleSet, SourcedRule } from "../rules/rules.js";
import type { OfferedValues } from "./offer.js";
import type { WiderValues } from "./widths.js";

/** One thing that may need permission. */
export interface ApprovalRequest {
  readonly kind: "command" | "write" | "tool";
  readonly tool: string;
  readonly command: string;
  readonly cwd: string;
  /** Absolute paths that would be written. */
  readonly paths?: readonly string[];
  /** Absolute paths that would be read. */
  readonly reads?: readonly string[];
  /** Arguments of the call, for rules that compare them. */
  readonly args?: unknown;
  /** The command is a program of this language and not a command line. */
  readonly code?: "javascript" | "python";
  /** That program runs in the cage of the conversation. */
  readonly caged?: boolean;
  /** Reason for running the command outside the cage; absent: it runs in the cage where there is one. */
  readonly outside?: string;
}

/** The cage that commands of a conversation run in (core part, 20.9). */
export interface ApprovalCage {
  /** `approvals.caged: allow`: classes that only say that a line cannot be judged do not ask in the cage. */
  readonly eases: boolean;
  /** Absolute paths that commands may write beside the project and temporary directories. */
  readonly writable: readonly string[];
}

export interface ApprovalScope {
  readonly paths: Omit<ExecScope, "cwd">;
  readonly rules: RuleSet;
  readonly yolo: boolean;
  readonly mode: string;
  readonly edits: string;
  readonly allowlist: readonly string[];
  /** Answers given for this lineage. They hold before any rule but those that deny. */
  readonly grants?: readonly SourcedRule[];
  /** The command runs where it cannot reach the machine's files. */
  readonly isolated?: boolean;
  /** Absent: commands run without a cage. */
  readonly cage?: ApprovalCage;
  /** Programs of execute_code are asked about in the cage, too: in chats on messaging platforms and in scheduled conversations. */
  readonly asksScripts?: true;
  /** What the scanner found in this command. */
  readonly scanned?: string;
}

export interface Reason {
  readonly class: RiskClass | "rule" | "edit";
  readonly text: string;
}

/** Real path of something below what a call reads, which a rule keeps from it all the same. */
export type Hides = (path: string) => boolean;

/** A call that somebody has to be asked about. */
export interface AskDecision {
  readonly outcome: "ask";
  readonly reasons: readonly Reason[];
  /** Simple commands as they will run, for the question. */
  readonly segments: readonly { readonly argv: string; readonly class?: RiskClass; readonly why?: string }[];
  readonly options: readonly ApprovalOption[];
  /** Rules that each answer would store. */
  readonly offered: OfferedValues;
  /** Rules that reach further, for whoever asks for them. */
  readonly wider?: WiderValues;
  /** The rule that would allow it; "" when no rule can. */
  readonly rule: string;
  /** The rule that asks; no other rule can allow what it is about. */
  readonly asks?: SourcedRule;
  /** When a person allows it, it runs outside the cage. */
  readonly outside?: true;
  /** Clients of the outside that its line names: they may be started in the cage once it is allowed. */
  readonly clients?: readonly string[];
  /** A model may answer in `smart` mode. */
  readonly smart: boolean;
  /** The project's own allow list is not trusted, so that nothing is added to it. */
  readonly untrusted: boolean;
  readonly notices: readonly string[];
  readonly hides?: Hides;
}

/** A call that is allowed. */
export interface AllowDecision {
  readonly outcome: "allowed";
  readonly by: string;
  /** The rule or grant that allowed it. */
  readonly rule?: SourcedRule;
  readonly hides?: Hides;
  /** It runs outside the cage; absent: in the cage where there is one. */
  readonly outside?: true;
  /** Clients of the outside that it may start in the cage, by name; absent: none. */
  readonly clients?: readonly string[];
}

export type ApprovalDecision =
  | AllowDecision
  | { readonly outcome: "blocked"; readonly message: string }
  | { readonly outcome: "denied"; readonly message: string; readonly rule: SourcedRule }
  | AskDecision;
