import { serveCallback } from "../adapters/mcp/serve/callback.js";
import { connectCallback } from "../lib/backplane/callback/client.js";
import { AppError, toAppError } from "../lib/base/errors.js";
import { exitCodeOfSignal } from "../lib/base/process/signal-exit.js";
import type { CallbackTools } from "../lib/contracts/runtimes/callback.js";
import { CALLBACK_SOCKET } from "../lib/contracts/runtimes/callback-wire.js";

/** Put in by the build. */
declare const VERSION: string;

/**
 * `agent mcp-callback`: the tools of one conversation for the program that works its turns. The program waits for it at its start, so it loads
 * nothing but the protocol.
 */
export async function mcpCallback(options: readonly string[]): Promise<void> {
  const unknown = options.find((word) => word !== "--verbose" && word !== "-v");
  if (unknown !== undefined) {
    fail(`unknown argument '${unknown}'`, "agent mcp-callback [--verbose]", 2);
    return;
  }
  const log = options.length > 0 ? note : () => undefined;
  const ended = new AbortController();
  let exit = 0;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => {
      exit = exitCodeOfSignal(signal);
      ended.abort();
    });
  try {
    const tools = await connect();
    log("connected to the conversation");
    await serveCallback({ tools, version: VERSION, log, signal: ended.signal });
  } catch (error) {
    const { message, hint } = toAppError(error);
    fail(message, hint, 1);
    process.exit();
  }
  process.exit(exit);
}

/** A call outside of a conversation would have neither its approvals nor its hooks and redaction: this is the only way in. */
async function connect(): Promise<CallbackTools> {
  const path = process.env[CALLBACK_SOCKET];
  if (path !== undefined && path !== "") return await connectCallback(path);
  throw new AppError(
    "E_OWNER",
    `${CALLBACK_SOCKET} is not set: this program was not started by a conversation of the agent`,
    {
      hint: "start it through the agent: /vendor-runtime on, or worker.program of a profile; agent help app-server",
    },
  );
}

const note = (line: string): void => void process.stderr.write(`mcp-callback: ${line}\n`);

function fail(message: string, hint: string, code: number): void {
  process.stderr.write(`agent: ${message}\nagent: ${hint}\n`);
  process.exitCode = code;
}
