import type { Client } from "../../backplane/client.js";
import type { Home } from "../../base/home.js";
import { createLog, silentLog } from "../../base/log/log.js";
import { systemClock } from "../../base/time/clock.js";
import { createRedactor } from "../../safety/redact/redact.js";
import { openOwnerLine } from "./owner-line.js";

export interface ServeAcp {
  /** Finds the owner again when it is lost. */
  readonly client: Client;
  readonly home: Home;
  readonly version: string;
  readonly env: Readonly<Record<string, string>>;
  /** Takes the lines of the log; absent: not logged. */
  readonly err?: (text: string) => Promise<void>;
  readonly input: ReadableStream<Uint8Array>;
  readonly output: WritableStream<Uint8Array>;
  readonly signal: AbortSignal;
}

/** `agent acp`, once this process has an owner or is it. Resolves when the editor has gone. */
export async function serveEditor(given: ServeAcp): Promise<void> {
  const { client, home, version, env, err, input, output, signal } = given;
  const redactor = createRedactor({ known: () => [], enabled: true });
  const log =
    err === undefined
      ? silentLog
      : createLog({
          dir: home.logs,
          clock: systemClock,
          level: "debug",
          redact: (text) => redactor.text(text),
          muted: true,
          onLine: (text) => {
            err(`${text}\n`).catch(() => undefined); // ok to lose: standard error has no reader
          },
        }).child("acp");
  const ended = new AbortController();
  const serving = AbortSignal.any([signal, ended.signal]);
  client.onConnect(() => log.info("connected to the owner", { pid: client.owner.pid }));
  client.onClose(() => log.info("the owner has exited"));
  try {
    const line = await openOwnerLine({ client, home, env, clock: systemClock, log, signal: ended.signal });
    const { serveAcp } = await import("../../../adapters/acp/serve.js");
    log.info("serving on standard input and output", { home: home.dir });
    await serveAcp({ line, version, log, input, output, signal: serving });
  } finally {
    ended.abort();
  }
}
