import { createReconnectingClient } from "../../backplane/reconnecting-client.js";
import { createLog, type Log, silentLog } from "../../base/log/log.js";
import { systemClock } from "../../base/time/clock.js";
import type { CommandLine } from "../../cli/command-line.js";
import type { McpServeOptions } from "../../contracts/mcp/served.js";
import { logRedactor } from "../../runtime/known-secrets.js";
import type { Host } from "../owner-process.js";
import { createServedAgent } from "./served-agent.js";
import { followServedEvents } from "./served-events.js";

/**
 * `agent mcp serve`: a client of the owner, whichever process that is and for as long as the MCP client stays. It never owns: it may run for days
 * beside an editor, and the owner of the home meanwhile works the board and the gateway.
 *
 * @returns exit code
 */
export async function serveMcp(line: CommandLine, host: Host, { verbose }: McpServeOptions): Promise<number> {
  const { home, version, caller } = line;
  const log = verbose ? stderrLog(line, host) : silentLog;
  const ended = new AbortController();
  const signal = AbortSignal.any([caller.signal, caller.gone, ended.signal]);
  const client = createReconnectingClient(home, { kind: "mcp", version, signal });
  client.onConnect(() => log.info("connected to the owner", { pid: client.owner.pid }));
  client.onClose(() => (signal.aborted ? undefined : log.info("the owner has exited")));
  const events = followServedEvents({ client, clock: systemClock, log, signal });
  const agent = createServedAgent({ client, events, clock: systemClock, home });
  try {
    const { serveAgent } = await import("../../../adapters/mcp/serve/serve.js");
    log.info("serving on standard input and output", { home: home.dir });
    await serveAgent({ agent, version, log, signal });
  } finally {
    ended.abort();
    client.close();
  }
  return 0;
}

/** Standard output belongs to the protocol. */
function stderrLog({ home, caller }: CommandLine, { config }: Host): Log {
  return createLog({
    dir: home.logs,
    clock: systemClock,
    level: "debug",
    redact: logRedactor(config, home),
    muted: true,
    onLine: (text) => {
      caller.err(`${text}\n`).catch(() => undefined); // ok to lose: standard error has no reader
    },
  }).child("mcp");
}
