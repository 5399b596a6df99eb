import type { FormContent } from "../../lib/contracts/chat/form.js";
import type { RuleWidth } from "../../lib/contracts/chat/questions.js";
import type { SlashNext } from "../../lib/contracts/chat/slash.js";
import type { PagePlace } from "../../lib/contracts/wire/shapes/session-page.js";
import type { ChatItem, Todo } from "./state.js";

/** What happens in the shown conversation. */
export type ChatMessage =
  | {
      readonly type: "session";
      readonly id: string;
      readonly title: string;
      readonly model: string;
      readonly items: readonly ChatItem[];
      /** It was opened, not read again. */
      readonly fresh?: boolean;
      /** What is older stands before this place. */
      readonly older?: PagePlace;
      readonly todo?: readonly Todo[];
      /** Message whose calls ran last. */
      readonly round?: number;
    }
  /** Something happened in a conversation that is not shown. */
  | { readonly type: "elsewhere"; readonly text: string }
  | { readonly type: "chat"; readonly event: string; readonly data: Readonly<Record<string, unknown>> }
  | { readonly type: "command"; readonly id: number; readonly text: string; readonly failed: boolean }
  | { readonly type: "next"; readonly next: SlashNext }
  | { readonly type: "following" | "followed"; readonly id: number }
  | { readonly type: "questions"; readonly rows: readonly Readonly<Record<string, unknown>>[]; readonly yolo: boolean }
  | { readonly type: "view"; readonly view: Readonly<Record<string, unknown>> }
  | OpeningMessage;

/** Notices of a conversation that is being opened. */
export interface OpeningMessage {
  readonly type: "opening";
  readonly messages?: number;
  readonly failed?: string;
}

/** What is asked of the owner about the shown conversation. */
export type ChatEffect =
  | { readonly do: "command"; readonly text: string; readonly id: number }
  | { readonly do: "sendNext" }
  | { readonly do: "unfollow" }
  /** `answer` null: the user gives none. */
  | {
      readonly do: "answer";
      readonly request: string;
      readonly kind: "approval" | "clarify" | "form" | "password" | "secret";
      readonly answer: string | null;
      /** Of a form that is accepted. */
      readonly content?: FormContent;
      readonly text?: string;
      readonly width?: RuleWidth;
    }
  /** Say to the owner that this front end shows the session, and ask for what is open. */
  | { readonly do: "attach" }
  | { readonly do: "interrupt"; readonly force: boolean };
