/** The owner as the part sees it that serves this agent to editors over the Agent Client Protocol (core part, 15.3). */
import type { WireEvent } from "../wire/wire.js";

export interface LineCall {
  /** Makes a changing call happen once, also where the owner is lost before its answer. */
  readonly key?: string;
  /** The call changes nothing. */
  readonly repeat?: boolean;
}

/** A connection to whichever process owns the home, made again when it is lost. */
export interface OwnerLine {
  /** Directory and environment that conversations are opened with. */
  readonly env: Readonly<Record<string, string>>;
  /** A method of the owner. @throws its error; E_OWNER when no owner answers in time */
  call<T = unknown>(method: string, params?: object, how?: LineCall): Promise<T>;
  /** Durable events of every conversation, each once and in order. */
  onEvent(listener: (event: WireEvent) => void): void;
  /** What conversations stream at this moment. The result ends it. */
  follow(sessions: readonly string[], listener: (event: WireEvent) => void): Promise<() => void>;
  /** Called when the owner asks for files of the editor that has this channel, and at each further owner. The result ends it. */
  followEditor(channel: string, listener: () => void): Promise<() => void>;
  /** Said to each further owner before anything else is asked of it. */
  onOwner(hello: (call: <T>(method: string, params?: object) => Promise<T>) => Promise<void>): void;
  /** The owner could not be reached within the deadline of the caller. */
  onNoOwner(listener: () => void): void;
  /** Keep the bytes of a picture where the owner can read them. @returns the path of the file, which `dropPicture` removes */
  keepPicture(bytes: Uint8Array, extension: string): Promise<string>;
  dropPicture(path: string): Promise<void>;
  /** What a path is. */
  look(path: string): "directory" | "file" | "other" | "missing";
}
