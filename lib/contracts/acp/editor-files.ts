/** Files as the editor has them that shows a conversation: with changes that are not saved (core part, 15.3). */

/** Characters of a text that is read from or written through an editor. Larger files are read and written on disk. */
export const EDITOR_TEXT_CHARS = 16 << 20;

/** Characters of a text in one message between owner and front end: each may take six bytes. */
export const EDITOR_PART_CHARS = 128 << 10;

/** `gone`: no editor is there any more, and it was not asked. */
export type EditorText =
  | { readonly how: "text"; readonly text: string }
  | { readonly how: "missing" | "gone" }
  | { readonly how: "failed"; readonly why: string };

/** `gone`: the text was not sent. `unknown`: it was, and no answer came. */
export type EditorWritten =
  | { readonly how: "written" | "gone" }
  | { readonly how: "failed" | "unknown"; readonly why: string };

/** What the editor of a conversation offers. Paths are real ones. */
export interface EditorFiles {
  /** The editor is asked for the text of this file: the file is below the directories of the conversation. */
  reads(path: string): boolean;
  /** The editor writes this file. */
  writes(path: string): boolean;
  /** @throws the reason of the signal */
  read(path: string, signal: AbortSignal): Promise<EditorText>;
  /** An aborted signal makes the outcome `unknown` where the text was sent. @throws the reason of the signal where it was not */
  write(path: string, text: string, signal: AbortSignal): Promise<EditorWritten>;
}

/** What the front end of an editor is asked. */
export interface EditorRequest {
  readonly request: string;
  /** As the front end named it when it attached. */
  readonly session_id: string;
  readonly kind: "read" | "write";
  /** As the editor knows it. */
  readonly path: string;
  /** Of the text to write. */
  readonly chars?: number;
}

/** What is new for the front end of an editor. */
export interface EditorNews {
  readonly requests: readonly EditorRequest[];
  /** Requests whose answers are not waited for any more. */
  readonly withdrawn: readonly string[];
}
