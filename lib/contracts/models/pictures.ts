import type { PictureType } from "../../base/fs/picture-facts.js";

/** A picture that came with a message, as it lies on this disk. It may be gone when it is looked at again. */
export interface MessagePicture {
  readonly path: string;
  readonly name: string;
  /** In pixels, where that is known. */
  readonly width?: number;
  readonly height?: number;
  /** What was asked about it. The description for a model without vision answers this. */
  readonly question?: string;
  /** Front ends show it; models are not sent it. */
  readonly unsent?: true;
}

/** Those that models are sent. */
export const modelPictures = (pictures: readonly MessagePicture[] = []): readonly MessagePicture[] =>
  pictures.filter(({ unsent }) => unsent !== true);

/** Pictures of results that stay in requests, newest first (core part, 27.3): each call of a screen shows it again. */
export const RESULT_PICTURES = 3;

/** Tools whose pictures are of a screen. */
const SCREENS = /^(?:browser_|computer_use$)/;

/** The line that a picture of a result becomes. */
export const removedResultPicture = (tool: string): string =>
  `[${SCREENS.test(tool) ? "screenshot" : "picture"} removed to save context]`;

/** The line that a picture of the user becomes. */
export const REMOVED_ATTACHMENT = "[Attached image: removed by compaction]";

/** A picture as a model gets it. */
export interface ImageData {
  readonly mime: PictureType;
  readonly base64: string;
}

/** A picture that is kept for messages. */
export interface KeptPicture extends MessagePicture {
  readonly bytes: number;
  /** What a message says to hold it. */
  readonly mention: string;
}

/** The text of a message and the pictures that it holds. */
export interface PicturedText {
  readonly text: string;
  readonly pictures: readonly MessagePicture[];
}
