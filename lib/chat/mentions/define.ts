import type { Completion } from "../../contracts/chat/slash.js";
import type { ToolContext } from "../../tools/core/define.js";

/** Something that a user names in a message. */
export interface Mention {
  /** The mention as written in the message. */
  readonly whole: string;
  readonly kind: string;
  /** Possible names, the likeliest first: punctuation at the end of a sentence is not part of a name. Empty: the kind does not take a name. */
  readonly forms: readonly MentionForm[];
}

export interface MentionForm {
  /** Text after the name of the kind. */
  readonly name: string;
  /** Lines of it that are wanted. */
  readonly from?: number;
  readonly to?: number;
}

/** Content of a mention, or the reason why it is not included. */
export type MentionBlock =
  | {
      readonly mention: Mention;
      readonly text: string;
      /** What of it is not there, and why. */
      readonly without?: string;
      /** It is in the message now. */
      readonly taken?: () => void;
    }
  | { readonly mention: Mention; readonly why: string };

/** A mention of this kind, by what it becomes. */
export type MentionResult =
  | { readonly text: string; readonly without?: string; readonly taken?: () => void }
  | { readonly why: string };

/** Where a mention is looked up: inside what a tool of the turn may reach. */
export interface MentionPlace {
  readonly ctx: ToolContext;
  readonly lookups?: MentionLookups;
}

/** What a user at the machine names by its id, or by the beginning of one. */
export interface MentionLookups {
  /** @throws E_NOT_FOUND, E_AMBIGUOUS, E_INVALID for the conversation that asks */
  readonly session: (given: string) => Promise<MentionedSession>;
  /** @throws E_NOT_FOUND, E_AMBIGUOUS */
  readonly task?: (given: string) => Promise<MentionedTask>;
}

export interface MentionedSession {
  readonly id: string;
  readonly title: string | null;
  /** How many messages it has. */
  readonly count: number;
  readonly messages: readonly { readonly id: number; readonly role: string; readonly content: string }[];
}

export interface MentionedTask {
  readonly id: string;
  readonly status: string;
  /** What a reader who is to work on it should know. */
  readonly text: string;
}

/** What completions are chosen of. */
export interface MentionSources {
  /** Files and directories, those with a slash at the end, below where the conversation began. */
  paths(): Promise<readonly string[]>;
  sessions(): Promise<readonly { readonly id: string; readonly title: string | null; readonly preview: string }[]>;
  tasks(): Promise<readonly { readonly id: string; readonly title: string; readonly status: string }[]>;
}

/** One that is offered; letters that were typed are looked for in `match`. */
export interface OfferedMention {
  /** Stands behind the colon. */
  readonly name: string;
  readonly label: string;
  readonly detail: string;
  readonly kind: Completion["kind"];
  readonly match: string;
}

export interface MentionDefinition {
  /** Behind the `@`. */
  readonly name: string;
  /** What follows it: nothing, a word behind a colon, or a path that may have lines behind it. */
  readonly form: "alone" | "word" | "path";
  /** One line for who completes it. */
  readonly detail: string;
  /** What is thrown is why it stays a word. */
  make(mention: Mention, place: MentionPlace): Promise<MentionResult>;
  /** What may stand behind its colon. */
  offers?(sources: MentionSources): Promise<readonly OfferedMention[]>;
}

/** A mention as the index holds it. */
export interface MentionEntry extends Pick<MentionDefinition, "name" | "form" | "detail"> {
  load(): Promise<MentionDefinition>;
}

export const defineMention = (definition: MentionDefinition): MentionDefinition => definition;
