import type { ApprovalOption } from "../../contracts/chat/questions.js";
import type { ExecScope, RiskClass } from "../exec/exec.js";
import type { RuleSet, SourcedRule } from "../rules/rules.js";
import type { OfferedValues } from "./offer.js";
import type { WiderValues } from "./widths.js";

/** An action on the desktop, as rules see it. */
export interface DesktopRequest {
  readonly action: string;
  /** Programs whose windows it may touch or show. */
  readonly apps: readonly string[];
  /** Names the window in grants; `screen` is the whole of it. */
  readonly window: string;
  /** Combination that would be pressed. */
  readonly keys?: string | undefined;
  /** Text that would be typed, behind what was typed on the same line before. */
  readonly text?: string | undefined;
}

/** What a program asks that works a turn in place of the model loop (extensions part, 8.5). */
export interface ProgramRequest {
  /** Why it asks, as people are shown. */
  readonly reason: string;
  /** Names of our own tools that do the same: a rule that denies one of them denies this. */
  readonly names: readonly string[];
  /** Only a person may answer. */
  readonly person?: true;
  /** Text that it would type into a command that runs. */
  readonly typed?: string;
  /** Answers that it can remember; absent: all. */
  readonly scopes?: readonly ("session" | "always")[];
}

/** One thing that may need permission. */
export interface ApprovalRequest {
  readonly kind: "command" | "write" | "tool" | "desktop";
  readonly tool: string;
  readonly command: string;
  readonly cwd: string;
  /** Absolute paths that would be written. */
  readonly paths?: readonly string[];
  /** Absolute paths that would be read. */
  readonly reads?: readonly string[];
  /** Hosts that would be asked. */
  readonly hosts?: readonly string[];
  /** Skill that would be read. */
  readonly skill?: string;
  /** Arguments of the call, for rules that compare them. */
  readonly args?: unknown;
  /** What the tool itself wants approval for. */
  readonly declared?: { readonly class: "tool-risk"; readonly text: string; readonly pin?: string };
  /** Of kind `desktop`. */
  readonly desktop?: DesktopRequest;
  /** The command is a program of this language and not a command line. */
  readonly code?: "javascript" | "python";
  /** That program runs in the cage of the conversation. */
  readonly caged?: boolean;
  /** Reason for running the command outside the cage; absent: it runs in the cage where there is one. */
  readonly outside?: string;
  /** Another program asks, which carries it out itself. */
  readonly program?: ProgramRequest;
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
  readonly class: RiskClass | "rule" | "edit" | "tool-risk" | "desktop";
  readonly text: string;
}

/** Real path of something below what a call reads, which a rule keeps from it anyway. */
export type Hides = (path: string) => boolean;

/** A call that needs an approval. */
export interface AskDecision {
  readonly outcome: "ask";
  readonly reasons: readonly Reason[];
  /** Simple commands as they will run, for the question. */
  readonly segments: readonly { readonly argv: string; readonly class?: RiskClass; readonly why?: string }[];
  readonly options: readonly ApprovalOption[];
  /** Rules that each answer would store. */
  readonly offered: OfferedValues;
  /** Rules that reach further, for a user who asks for them. */
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
  /** Nothing but a person may answer, whatever the settings allow. */
  readonly person?: true;
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
