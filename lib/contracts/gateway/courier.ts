/** Messages to chats that do not answer another message, for any part that has one to send (gateway part, 13). */

import type { SendKind, SendPayload } from "./outbox.js";
import type { HomeView } from "./reach.js";

export type SendFile = NonNullable<SendPayload["file"]>;

/** A file that is not sent, and why. */
export interface RefusedFile {
  readonly path: string;
  readonly reason: string;
}

/** The files that a text names, and the text without their marks. */
export interface NamedFiles {
  readonly text: string;
  readonly files: readonly SendFile[];
  readonly refused: readonly RefusedFile[];
}

/** One message, whatever its length. */
export interface Parcel {
  readonly kind: SendKind;
  readonly text: string;
  /** Files that `markdown` names are sent along. */
  readonly format: "plain" | "markdown";
  /** Files that are sent after the text, each a message of its own. */
  readonly files?: readonly SendFile[];
  /** What the author of the text may see of homes; absent: everything. */
  readonly view?: HomeView | undefined;
  /** Lineage whose conversation wrote the text: what `/tmp` means in it. */
  readonly lineage?: string | undefined;
  /** Names it for good: what is stored under it once is not stored again. */
  readonly key: string;
}
