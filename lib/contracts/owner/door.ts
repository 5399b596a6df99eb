/** What carries messages to a client of the owner: `done` is called when the bytes have left this process. */
export interface Carrier {
  write(text: string, done: () => void): void;
  /** A message, and bytes behind it that are none. Absent where only messages travel. */
  writeBytes?(text: string, bytes: Uint8Array, done: () => void): void;
  end(): void;
  destroy(): void;
  /** Whether a tool of the home started the client; asked once, when it first wants what is for people. Absent: it cannot have. */
  readonly fromTool?: (() => Promise<boolean>) | undefined;
}

/** The owner's end of one connection. */
export interface AttachedClient {
  message(text: string): void;
  garbage(why: string): void;
  /** Cut the client off after what was sent has left. */
  end(): void;
  /** The carrier has closed. */
  closed(): void;
}
