export type ToolState = "running" | "ok" | "error" | "denied" | "stopped";

export type ChatItem =
  | { readonly kind: "user"; readonly text: string; readonly id: number }
  | { readonly kind: "answer"; readonly text: string; readonly id: number; readonly interrupted: boolean }
  | {
      readonly kind: "tool";
      readonly callId: string;
      readonly name: string;
      readonly preview: string;
      readonly state: ToolState;
      readonly ms: number;
      readonly since: number;
    }
  | {
      readonly kind: "command";
      /** As it was typed. */
      readonly text: string;
      readonly id: number;
      /** Undefined until it has answered. */
      readonly answer: string | undefined;
      readonly failed: boolean;
    }
  | { readonly kind: "notice"; readonly text: string; readonly level: "info" | "warning" | "error" };

/** What the chat pane shows. */
export interface ChatState {
  readonly items: readonly ChatItem[];
  /** Text that streams at this moment. */
  readonly streaming: string;
  /** Characters of it as they came. */
  readonly streamed: number;
  /** Commands typed so far; their answers are told apart by it. */
  readonly commands: number;
  /** The command that goes on until it is stopped. */
  readonly following: number | undefined;
  /** Rows scrolled back from the end; 0 follows. */
  readonly scroll: number;
}

export const NO_CHAT: ChatState = { items: [], streaming: "", streamed: 0, commands: 0, following: undefined, scroll: 0 };
