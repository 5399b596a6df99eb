import { ApiError } from "./api.js";
import type { Frame } from "./live.js";

/** Calls that wait for their answers. */
export interface Pending {
  /** @param key Names a change: sent again with the same key it happens once. */
  call<T>(method: string, params?: Readonly<Record<string, unknown>>, key?: string): Promise<T>;
  /** Something can be written: what was asked before goes first. */
  opened(write: (text: string) => void): void;
  /** Nothing can be written any more, and what was asked is not answered. */
  lost(): void;
  /** Take the answer to a call; anything else is nothing to it. */
  answer(frame: Frame): void;
  readonly connected: boolean;
  readonly count: number;
}

interface Asked {
  readonly text: string;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** Calls in the form of JSON-RPC 2.0. They wait while the socket is closed, and fail with the one over which they were sent. */
export function createPending(): Pending {
  const asked = new Map<number, Asked>();
  let made = 0;
  let write: ((text: string) => void) | undefined;
  return {
    call: <T>(method: string, params: Readonly<Record<string, unknown>> = {}, key?: string) =>
      new Promise<T>((resolve, reject) => {
        made += 1;
        const text = JSON.stringify({ jsonrpc: "2.0", id: made, method, params, ...(key !== undefined && { key }) });
        // The caller names what its method answers.
        asked.set(made, { text, resolve: (result) => resolve(result as T), reject });
        write?.(text);
      }),
    opened(next) {
      for (const { text } of asked.values()) next(text);
      write = next;
    },
    lost() {
      write = undefined;
      const lost = [...asked.values()];
      asked.clear();
      for (const { reject } of lost)
        reject(new ApiError(0, undefined, "The connection was lost before the owner responded."));
    },
    answer(frame) {
      const id = Number(frame["id"]);
      const one = asked.get(id);
      asked.delete(id);
      const error = frame["error"];
      if (error === undefined) one?.resolve(frame["result"]);
      else one?.reject(refusal(error));
    },
    get connected() {
      return write !== undefined;
    },
    get count() {
      return asked.size;
    },
  };
}

function refusal(error: unknown): ApiError {
  const { message, data } = { message: undefined, data: undefined, ...(typeof error === "object" ? error : {}) };
  const code: unknown =
    typeof data === "object" && data !== null && "code" in data ? (data as { code: unknown }).code : undefined;
  return new ApiError(
    400,
    typeof code === "string" ? code : undefined,
    typeof message === "string" ? message : "The owner refused it.",
  );
}
