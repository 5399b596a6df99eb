import type { RelayAnswer } from "../base/net/relay.js";
import type { Ms } from "../base/units.js";
import type { HttpResponse } from "../http/listener.js";
import type { Patience } from "./patience.js";

/** Who did not let an answer come to its end. */
export type Truncated = "no" | "upstream" | "client";

export interface Download {
  readonly bytes: number;
  /** Resolves when the client has it all, or never will. */
  readonly done: Promise<Truncated>;
}

/**
 * Hand an answer on as it comes, no faster than the client takes it. One that was cut off, or falls silent for `idleMs`, costs the client his
 * connection: he must not take it for whole.
 */
export function relayDownload(answer: RelayAnswer, response: HttpResponse, patience: Patience, idleMs: Ms): Download {
  const { body } = answer;
  let bytes = 0;
  let whole = false;
  let cutOff = false;
  const cut = () => {
    if (whole) return;
    cutOff = true;
    body.destroy();
    destroyClient(response);
  };
  const watch = () => patience.wait(idleMs, cut);
  const done = new Promise<Truncated>((resolve) => {
    response.once("close", () => {
      patience.end();
      if (response.writableFinished) resolve("no");
      else resolve(cutOff ? "upstream" : "client");
    });
    response.once("finish", () => {
      patience.end();
      resolve("no");
    });
  });
  body.on("data", (piece: Buffer) => {
    bytes += piece.length;
    patience.touch();
    if (response.write(piece)) return;
    body.pause();
    patience.stop(); // the client is slow, which is his own affair
  });
  response.on("drain", () => {
    watch();
    body.resume();
  });
  body.once("end", () => {
    whole = true;
    patience.stop();
    response.end();
  });
  body.once("error", cut);
  body.once("close", cut);
  watch();
  // The first piece takes the head with it. Without one the head goes alone: the client wants to know that there is an answer.
  if (body.readableLength === 0) response.flushHeaders();
  return {
    get bytes() {
      return bytes;
    },
    done,
  };
}

/** A client of the old version takes the end of the connection for the end of the answer, unless it is a reset. */
function destroyClient(response: HttpResponse): void {
  if (response.req.httpVersionMinor === 0) response.socket?.resetAndDestroy();
  response.destroy();
}
