/** Commands that begin with `/`, typed in a chat (board part, 12; core part, 14.1). */
import type { WireError } from "../../base/errors.js";
import type { SessionId } from "../../base/units.js";
import type { ChatOrigin } from "../board/notify.js";
import type { FilteredPane, SizedPane } from "../ui/panes.gen.js";

/** What a member of a messaging chat may do. Nothing of this is asked of who sits at the terminal. */
export interface ChatMember {
  /** Absent: no tiers are configured. */
  readonly tier?: "admin" | "member" | undefined;
  /** Another user is the admin: admin commands are not available to this member. */
  readonly admins?: boolean | undefined;
  /** More than two people read there. */
  readonly group: boolean;
  /** Commands that the member's allow-list names. */
  readonly allows: readonly string[];
}

/** What a chat's gateway knows of the conversation besides: its turn, and the messages that wait for one. */
export interface ChatWork {
  /** How far the turn is: "40 s, step 2/90, terminal"; undefined: none runs. */
  readonly turn?: string | undefined;
  readonly waiting: number;
}

export interface SlashCall {
  /** Begins with `/`, or with `!` for a shell line. */
  readonly text: string;
  /** The chat on a platform that it was typed in; absent at the terminal. */
  readonly origin?: ChatOrigin | undefined;
  readonly member?: ChatMember | undefined;
  readonly work?: ChatWork | undefined;
  /** The caller can show activity itself: it gets the command line to run. */
  readonly follows?: boolean | undefined;
  /** The conversation that it was typed in. */
  readonly session?: SessionId | undefined;
  /** The caller shows nothing but the answer: a command that starts a turn waits for its end and answers with what the model said. */
  readonly waits?: boolean | undefined;
}

/** What a command changes of a screen. `layout`: a pane's share in percent, or all of them as they come. */
export interface ScreenChange {
  readonly theme?: string;
  readonly mouse?: boolean;
  readonly statusbar?: "on" | "off" | "toggle";
  /** Everything unfolded in the conversation, or folded. */
  readonly details?: "on" | "off" | "toggle";
  /** Settings of screens by their keys: they hold from now on. */
  readonly settings?: Readonly<Record<string, string | boolean>>;
  /** Give a pane the focus; `filter`: with only what it lets through. */
  readonly pane?: { readonly name: FilteredPane; readonly filter: string };
  /** Draw everything again. */
  readonly redraw?: true;
  /** Detach from the screen; work continues. */
  readonly detach?: true;
  readonly layout?: { readonly pane: SizedPane; readonly percent: number } | "reset";
}

/** What a front end does once it has shown the answer. */
export interface SlashNext {
  /** Show this conversation from now on. */
  readonly open?: SessionId;
  /** Put this text into the composer. */
  readonly compose?: string;
  /** Put this text on the clipboard. */
  readonly copy?: string;
  /** Leave the program. */
  readonly quit?: true;
  /** Change the screen that it was typed on, and keep that in the settings. */
  readonly screen?: ScreenChange;
  /** The conversation in which it was typed no longer exists. */
  readonly gone?: true;
}

/** What a command answers in a chat. It is shown there and never becomes a message to the model. */
export interface SlashAnswer {
  /** What is shown; never empty, in a chat and for the board at most 3800 characters and one line that says what was cut. */
  readonly text: string;
  /** The answer for machines, whole. */
  readonly data: unknown;
  readonly exit: number;
  readonly error?: WireError;
  /** Words of the command line that the caller runs and shows until it is stopped. */
  readonly follow?: readonly string[];
  readonly next?: SlashNext;
  /** A one-shot has printed all of it as JSON lines. */
  readonly streamed?: boolean;
}

/** Runs command lines of a person: what quick commands stand for. */
export interface PersonShell {
  /** At most 30 seconds, `/bin/sh -c`. Never rejects. */
  run(
    command: string,
    place: { readonly cwd: string; readonly env: Readonly<Record<string, string>>; readonly signal: AbortSignal },
  ): Promise<ShellOutput>;
}

export interface ShellOutput {
  /** Standard output and error as they came, secrets masked. */
  readonly text: string;
  /** How it ended, unless with exit code 0: `exit code 3`. */
  readonly problem: string | undefined;
}

/** One thing that can be typed at a place. */
export interface Completion {
  /** Takes the place of the word at the cursor. */
  readonly text: string;
  readonly label: string;
  readonly detail: string;
  readonly kind:
    | "command"
    | "action"
    | "option"
    | "value"
    | "file"
    | "mention"
    | "directory"
    | "session"
    | "task"
    | "profile";
  /** Where that word begins in the text. */
  readonly from?: number;
}
