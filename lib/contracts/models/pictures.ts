/** A picture that came with a message, as it lies on this disk. It may be gone when it is looked at again. */
export interface MessagePicture {
  readonly path: string;
  readonly name: string;
}

/** A picture as a model gets it. */
export interface ImageData {
  readonly mime: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
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
