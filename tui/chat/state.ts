import type { PagePlace } from "../../lib/contracts/wire/shapes/session-page.js";
import type { Outline } from "../draw/markdown.js";
import type { Anchor } from "../draw/viewport.js";

export type ToolState = "running" | "ok" | "error" | "denied" | "stopped";

/** What a call gave, as far as it is shown: a long result is fetched when it is unfolded. */
export interface ToolResult {
  /** Message that holds it; undefined: not known yet. */
  readonly place: PagePlace | undefined;
  readonly text: string;
  /** `text` is only its beginning. */
  readonly cut: boolean;
  readonly diff: string | undefined;
  readonly exit: number | undefined;
  /** The last line that a command wrote. */
  readonly last?: string;
  /** What it showed, where its pixels are known. */
  readonly pictures?: readonly { readonly path: string; readonly width: number; readonly height: number }[];
}

export interface ToolItem {
  readonly kind: "tool";
  readonly key: string;
  readonly callId: string;
  readonly name: string;
  readonly preview: string;
  readonly state: ToolState;
  readonly ms: number;
  /** Monotonic beginning while it runs. */
  readonly since: number;
  /** Wall clock of the beginning of a call that was read while it runs, until `since` is set by it. */
  readonly startedAt?: number | undefined;
  readonly result: ToolResult | undefined;
  /** Calls that it made itself. */
  readonly inner: readonly ToolItem[];
  /** Of the turn that ended with it. */
  readonly ending?: Ending;
}

/** How a turn ended and what it used. */
export interface Ending {
  /** Wall clock; undefined: unknown. */
  readonly at: number | undefined;
  readonly ms: number;
  /** Tokens of all its requests, with those that the provider had cached. */
  readonly input: number;
  readonly output: number;
  /** In USD; undefined: no price is known. */
  readonly cost: number | undefined;
  /** The one that answered last; empty: none did. */
  readonly model: string;
}

/** What stands in the conversation. `key` names it for ever. `ending`: it is the last of its turn, which has ended. */
export type ChatItem = Item & { readonly ending?: Ending };

type Item =
  | {
      readonly kind: "user";
      /** News of work in the background, not a message of the person. */
      readonly news?: true;
      readonly key: string;
      readonly text: string;
      readonly id: number;
      readonly at: number | undefined;
      readonly place: PagePlace | undefined;
    }
  | {
      readonly kind: "answer";
      readonly key: string;
      readonly text: string;
      readonly id: number;
      readonly interrupted: boolean;
      readonly place: PagePlace | undefined;
      /** Blocks that were made while it streamed. */
      readonly outline?: Outline;
    }
  | {
      readonly kind: "thinking";
      readonly key: string;
      readonly text: string;
      readonly ms: number | undefined;
      readonly outline?: Outline;
    }
  | ToolItem
  | {
      readonly kind: "child";
      readonly key: string;
      readonly id: string;
      readonly goal: string;
      readonly role: string;
      /** `running`, or how it ended. */
      readonly status: string;
      readonly tool: string | undefined;
      readonly tokens: number;
      readonly ms: number;
      readonly since: number;
      /** What it did, as it told, the newest last. */
      readonly tools: readonly string[];
    }
  | {
      readonly kind: "command";
      readonly key: string;
      /** As it was typed. */
      readonly text: string;
      readonly id: number;
      /** Undefined until it has answered. */
      readonly answer: string | undefined;
      readonly failed: boolean;
    }
  | {
      readonly kind: "notice";
      readonly key: string;
      readonly text: string;
      readonly level: "info" | "warning" | "error";
      /** A line over the whole width stands above it, with this in it. */
      readonly rule?: string;
    };

/** Text that grows at this moment. */
export interface Live {
  readonly key: string;
  readonly outline: Outline;
  /** As it came, cleaned. */
  readonly source: string;
  /** The end of what came, where it may be half of something. */
  readonly held: string;
  readonly since: number;
}

export interface Todo {
  readonly text: string;
  readonly status: "pending" | "in_progress" | "completed" | "cancelled";
}

/** Looking for a text in the whole conversation. */
export interface ChatSearch {
  readonly text: string;
  /** Its line has the keys. */
  readonly typing: boolean;
  /** Messages that hold it, oldest first; undefined: the owner has not answered yet. */
  readonly found: readonly PagePlace[] | undefined;
  /** Which of them is looked at. */
  readonly at: number;
  /** The row of it that is looked at; undefined: the words stand in none that is shown. */
  readonly row?: Anchor | undefined;
}

/** What the chat pane shows. */
export interface ChatState {
  /** The segment of the conversation that this is of; undefined: none was opened yet. */
  readonly of: string | undefined;
  /** Who its messages come from, where that is not the person at the screen: the task of a worker. */
  readonly speaker: string | undefined;
  readonly items: readonly ChatItem[];
  /** Items that were added by this screen; it makes their keys unique. */
  readonly made: number;
  readonly live: Live | undefined;
  readonly thinking: Live | undefined;
  /** Characters of the answer as they came. */
  readonly streamed: number;
  /** Lines after which a block of a streaming answer is finished; undefined: as the workspace has it. */
  readonly blockLines: number | undefined;
  /** The answer is stored: what still comes of it was seen. */
  readonly closed: boolean;
  /** Tool whose call is being written. */
  readonly writing: string | undefined;
  /** Message whose calls run, or ran last. */
  readonly round: number;
  /** Newest lines of running commands, by call. */
  readonly output: Readonly<Record<string, readonly string[]>>;
  readonly todo: readonly Todo[];
  readonly todoOpen: boolean;
  /** Commands typed so far; it makes the keys of their answers unique. */
  readonly commands: number;
  /** The command that goes on until it is stopped. */
  readonly following: number | undefined;
  /** The uppermost row; undefined: the end is followed. */
  readonly top: Anchor | undefined;
  /** Where the end was when following was left. */
  readonly mark: Anchor | undefined;
  /** Key of the item that the keys of the pane mean; undefined: the last one. */
  readonly cursor: string | undefined;
  /** What the user has unfolded or folded, by `key aspect`; the rest is as the settings say. */
  readonly folds: Readonly<Record<string, boolean>>;
  /** Results that were fetched whole, by key of their item. */
  readonly whole: Readonly<Record<string, string>>;
  /** Messages above what is here. */
  readonly older: "no" | "yes" | "loading" | "failed";
  readonly olderAt: PagePlace | undefined;
  /** Messages below what is here: the end was let go to make room. */
  readonly newer: "no" | "yes" | "loading" | "failed";
  readonly newerAt: PagePlace | undefined;
  readonly loading: boolean;
  /** While no conversation is there yet. */
  readonly opening: Opening;
  readonly search: ChatSearch | undefined;
  /** The last turn was cut off; Enter lets it go on. */
  readonly cutOff: boolean;
  /** Conversations that were shown, oldest first, and which of them is. */
  readonly shown: { readonly ids: readonly string[]; readonly at: number };
}

/** How far a conversation is that is being opened. */
export interface Opening {
  /** Messages that it holds, where that is known. */
  readonly messages: number;
  /** Monotonic time since which they are read. */
  readonly since: number;
  /** Why it could not be opened. */
  readonly failed: string;
}

export const NO_CHAT: ChatState = {
  of: undefined,
  speaker: undefined,
  items: [],
  made: 0,
  live: undefined,
  thinking: undefined,
  streamed: 0,
  blockLines: undefined,
  closed: false,
  writing: undefined,
  round: 0,
  output: {},
  todo: [],
  todoOpen: false,
  commands: 0,
  following: undefined,
  top: undefined,
  mark: undefined,
  cursor: undefined,
  folds: {},
  whole: {},
  older: "no",
  olderAt: undefined,
  newer: "no",
  newerAt: undefined,
  loading: true,
  opening: { messages: 0, since: 0, failed: "" },
  search: undefined,
  cutOff: false,
  shown: { ids: [], at: -1 },
};
