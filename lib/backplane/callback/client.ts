import { connect, type Socket } from "node:net";
import * as z from "zod";
import { AppError, fromWireError } from "../../base/errors.js";
import { LIMITS } from "../../base/limits.js";
import type { CallbackTools } from "../../contracts/runtimes/callback.js";
import {
  type CallbackRequest,
  callbackReply,
  callbackResult,
  callbackToolList,
} from "../../contracts/runtimes/callback-wire.js";
import { createLineReader } from "../lines.js";

/** The door as a callback server sees it. `list` and `call` throw once the conversation is gone. */
export interface CallbackClient extends CallbackTools {
  close(): void;
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

const gone = () =>
  new AppError("E_OWNER_LOST", "the conversation that these tools belong to has ended", {
    hint: "start a new session of the program; do not repeat the call here",
  });

/** Connect to the door of a conversation. @throws E_OWNER_LOST when it is not open */
export async function connectCallback(path: string): Promise<CallbackClient> {
  const socket = await dial(path);
  const waiting = new Map<number, Waiting>();
  const end = (error: AppError) => {
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  const reader = createLineReader(
    LIMITS.callbackReplyBytes * 2,
    (text) => take(waiting, text, end),
    () => socket.destroy(),
  );
  socket.on("data", reader.push);
  socket.on("error", () => undefined); // "close" follows
  socket.on("close", () => end(gone()));
  let last = 0;
  const ask = (make: (id: number) => CallbackRequest, signal?: AbortSignal): Promise<unknown> => {
    if (socket.destroyed || socket.writableEnded) return Promise.reject(gone());
    last += 1;
    const id = last;
    const text = JSON.stringify(make(id));
    if (Buffer.byteLength(text) > LIMITS.messageBytes)
      return Promise.reject(
        new AppError("E_TOO_LARGE", `the arguments of a call must be smaller than ${LIMITS.messageBytes} bytes`),
      );
    return new Promise((resolve, reject) => {
      const cancel = () => send(socket, { method: "cancel", id });
      const over = () => signal?.removeEventListener("abort", cancel);
      waiting.set(id, {
        resolve: (value) => {
          over();
          resolve(value);
        },
        reject: (error) => {
          over();
          reject(error);
        },
      });
      socket.write(`${text}\n`);
      signal?.addEventListener("abort", cancel, { once: true });
      if (signal?.aborted) cancel();
    });
  };
  return {
    list: async () => callbackToolList.parse(await ask((id) => ({ method: "list", id }))),
    call: async (name, args, signal) => {
      const given = z.record(z.string(), z.unknown()).parse(args ?? {});
      const { images, ...result } = callbackResult.parse(
        await ask((id) => ({ method: "call", id, name, args: given }), signal),
      );
      return images === undefined ? result : { ...result, images };
    },
    close: () => socket.destroy(),
  };
}

function take(waiting: Map<number, Waiting>, text: string, end: (error: AppError) => void): void {
  const { id, result, error } = callbackReply.parse(JSON.parse(text));
  if (id === null) {
    end(error === undefined ? gone() : asError(error));
    return;
  }
  const one = waiting.get(id);
  waiting.delete(id);
  if (error === undefined) one?.resolve(result);
  else one?.reject(asError(error));
}

const asError = ({ code, message, hint }: { code: string; message: string; hint?: string | undefined }): AppError =>
  fromWireError({ code, message, ...(hint === undefined ? {} : { hint }) });

function send(socket: Socket, request: CallbackRequest): void {
  if (!socket.destroyed) socket.write(`${JSON.stringify(request)}\n`);
}

function dial(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.removeAllListeners("error");
      resolve(socket);
    });
    socket.once("error", () => reject(gone()));
  });
}
