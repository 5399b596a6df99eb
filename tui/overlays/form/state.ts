import type { Editor } from "../../composer/editor.js";
import type { Subject } from "../confirm/state.js";

/**
 * `line`: one line; `text`: several; `choice`: one of `choices`, typing filters; `words`: any words, of which `choices` completes the one at the
 * cursor; `hidden`: shown as dots.
 */
export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly kind: "line" | "text" | "choice" | "words" | "hidden";
  readonly editor: Editor;
  readonly choices?: readonly { readonly value: string; readonly detail: string }[];
  readonly required?: boolean;
  /** Of a choice, or a completion: how far down the list of what matches the mark stands; undefined until it is moved. */
  readonly marked?: number;
}

/** Fields and a button. What was typed stays until the asker closes the form; the values are a message `filled`. */
export interface FormOverlay {
  readonly kind: "form";
  /** Who asked: `board.new`. Its room takes the answer. */
  readonly asker: string;
  readonly title: string;
  /** Said above the fields: the effect, a warning. */
  readonly lines: readonly string[];
  readonly fields: readonly FormField[];
  /** Field that is edited; `fields.length`: the button. */
  readonly at: number;
  readonly button: string;
  /** Why the last attempt was refused. */
  readonly error: string;
  /** The answer of the owner is awaited. */
  readonly busy: boolean;
  readonly subject: Subject;
}

export interface Filled {
  readonly type: "filled";
  readonly asker: string;
  readonly values: Readonly<Record<string, string>>;
  readonly subject: Subject;
}
