import { connect, type Socket } from "node:net";
import { AppError, systemCode } from "../base/errors.js";
import { createLineReader, createLineWriter } from "./lines.js";

/** The client's way to an owner. One text is one message. */
export interface Transport {
  send(text: string): void;
  /** Set once, before the first message can arrive. */
  onMessage(listener: (text: string) => void): void;
  /** Called once when the way is gone. */
  onClose(listener: () => void): void;
  /** Stop and go on taking messages, so that a slow reader slows the owner's sending. */
  pause(): void;
  resume(): void;
  close(): void;
}

/** Answers are at most 1 MiB; a client that trusts its owner still bounds what it keeps. */
const MESSAGE_MAX = 4 << 20;

/** Not listening: no file, one that a killed owner left, or the owner ended while it had not yet taken the connection. */
const NOBODY = new Set(["ENOENT", "ECONNREFUSED", "ENOTSOCK", "ECONNRESET", "EPIPE"]);

/**
 * Connect to the socket at `path`.
 *
 * @returns undefined when no owner listens there
 * @throws E_BUSY when too many connect at this moment
 * @throws E_OWNER when the socket cannot be used for another reason
 */
export async function dial(path: string): Promise<Transport | undefined> {
  const socket = connect(path);
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", resolve);
      socket.once("error", reject);
    });
  } catch (error) {
    const code = systemCode(error);
    if (code !== undefined && NOBODY.has(code)) return undefined;
    if (code === "EAGAIN")
      throw new AppError("E_BUSY", `the owner's socket ${path} does not accept more clients`, { path }, error);
    throw new AppError("E_OWNER", `cannot use the owner's socket ${path}: ${code ?? String(error)}`, { path }, error);
  }
  return lineTransport(socket);
}

/** JSON lines over a connected socket. */
function lineTransport(socket: Socket): Transport {
  let message: (text: string) => void = () => undefined;
  let closed: (() => void) | undefined;
  let gone = false;
  const reader = createLineReader(
    MESSAGE_MAX,
    (text) => message(text),
    () => socket.destroy(),
  );
  const lines = createLineWriter((text, done) => {
    if (!gone) socket.write(text, done);
  });
  socket.removeAllListeners("error");
  socket.on("error", () => socket.destroy());
  socket.on("data", reader.push);
  socket.on("end", () => socket.end());
  socket.on("close", () => {
    gone = true;
    closed?.();
  });
  return {
    send: lines.write,
    onMessage: (listener) => {
      message = listener;
    },
    onClose: (listener) => {
      closed = listener;
      if (gone) listener();
    },
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    close: () => {
      lines.flush();
      socket.end(() => socket.destroy());
    },
  };
}
