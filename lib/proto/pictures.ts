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
