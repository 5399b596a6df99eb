import { systemCode } from "../../../lib/base/errors.js";
import { isRecord, jsonOf } from "../../../lib/base/json/record.js";
import { endProgram, endWithBelow } from "../../../lib/base/process/end-program.js";
import { createLines, MESSAGE_BYTES } from "../../../lib/base/process/lines.js";
import type { Child } from "../../../lib/base/process/spawn.js";
import { createTail } from "../../../lib/base/process/stderr-tail.js";
import { settlesWithin } from "../../../lib/base/time/settles-within.js";
import type { Ms } from "../../../lib/base/units.js";
import { MCP_SERVERS } from "../../../lib/contracts/mcp/keys.js";
import { APP_SERVER_COMMAND, APP_SERVER_HOME } from "../../../lib/contracts/runtimes/keys.js";
import type { RuntimeParts, RuntimePlace } from "../../../lib/contracts/runtimes/runtime.js";
import { programArgs, programEnv } from "./arguments.js";
import { ProgramFailure, Refused, shown } from "./failures.js";
import { handedOver } from "./migrate/handed-over.js";
import { createPendingRequests } from "./pending-requests.js";
import type { Reply, RequestId } from "./requests/requests.js";
import { appServerHome, settingsFile } from "./settings-file.js";
import { findProgram, isOlder, OLDEST } from "./version.js";

/** A program that ends closes its output first: one that has closed it ends so soon. */
const CLOSED_OUTPUT_MS: Ms = 3_000;
/** How long what a program that has ended wrote before is read; what it started may hold its pipes. */
const LAST_OUTPUT_MS: Ms = 1_000;
const LINE_SHOWN = 200;

const INSTALL = "install it (npm install -g @openai/codex), or set app_server.command";

type Params = Readonly<Record<string, unknown>>;

/** What the program tells and asks. */
export interface ProgramEvents {
  notification(method: string, params: Params): void;
  /** Undefined: it is not answered. */
  request(method: string, id: RequestId, params: Params): Promise<Reply | undefined>;
}

/** A program that was started and initialized. */
export interface Program {
  /** @throws Refused when it answers with an error, ProgramFailure when it does not answer in time or has ended */
  request(method: string, params: Params): Promise<Params>;
  /** Why it has ended; undefined: it lives. */
  reason(): string | undefined;
  /** Resolves with the reason when nothing more will come. */
  readonly ended: Promise<string>;
  /** Ends it and its group: its input first, then signals. Harmless twice. */
  close(): Promise<void>;
}

/** Start the program and initialize it. @throws ProgramFailure; nothing of it is left then */
export async function startProgram(
  parts: RuntimeParts,
  place: RuntimePlace,
  events: ProgramEvents,
  signal: AbortSignal,
): Promise<Program> {
  const program = connect(await spawnProgram(parts, place), parts, events);
  const stop = () => void program.close();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const clientInfo = { name: "agent", title: "Agent", version: parts.version };
    const capabilities = { experimentalApi: true, requiredHumanApproval: true };
    const { userAgent } = await program.request("initialize", { clientInfo, capabilities });
    const version = /\/(\d+\.\d+\.\d+)/.exec(String(userAgent))?.[1];
    if (version !== undefined && isOlder(version, OLDEST))
      throw new ProgramFailure(`the app-server is version ${version}; ${OLDEST} or newer is needed`, INSTALL);
    program.notify("initialized", {});
    return program;
  } catch (error) {
    await program.close();
    throw error instanceof Refused
      ? new ProgramFailure(`the app-server refused to be initialized: ${shown(error.message)}`)
      : error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

async function spawnProgram({ config, spawner }: RuntimeParts, place: RuntimePlace): Promise<Child> {
  const command = config.get(APP_SERVER_COMMAND);
  const file = findProgram(command, place.env);
  if (file === undefined)
    throw new ProgramFailure(
      command.includes("/") ? `${command} is not a program` : `no program ${command} on PATH`,
      INSTALL,
    );
  const set = config.get(APP_SERVER_HOME);
  const home = appServerHome(set, place.env);
  const secrets = handedOver(settingsFile(home), config.get(MCP_SERVERS));
  try {
    return await spawner.spawn({
      file,
      args: programArgs(place, Object.keys(secrets)),
      cwd: place.cwd,
      env: { ...secrets, ...programEnv(place, set === undefined ? undefined : home) },
      forPerson: true,
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
      endsWithOwner: true,
    });
  } catch (error) {
    throw new ProgramFailure(`${command} cannot be started (${systemCode(error) ?? String(error)})`, INSTALL);
  }
}

interface Connected extends Program {
  notify(method: string, params: Params): void;
}

function connect(child: Child, parts: RuntimeParts, events: ProgramEvents): Connected {
  const { clock, spawner, log } = parts;
  const tail = createTail();
  const lines = createLines(MESSAGE_BYTES);
  let reason: string | undefined;
  let closing: Promise<void> | undefined;
  let tellEnded: (reason: string) => void = () => undefined;
  const ended = new Promise<string>((resolve) => {
    tellEnded = resolve;
  });
  const send = (message: object) => {
    if (reason === undefined) child.write(`${JSON.stringify(message)}\n`);
  };
  const pending = createPendingRequests(clock, send);

  const finish = (why: string): void => {
    if (reason !== undefined) return;
    reason = why;
    pending.failAll(why);
    tellEnded(why);
  };
  const giveUp = (why: string): void => {
    finish(why);
    closing ??= endWithBelow(spawner, child.pid, 0);
    closing.catch((error: unknown) => log.warning("app-server could not be ended", { error: String(error) }));
  };
  const answer = async (method: string, id: RequestId, params: Params): Promise<void> => {
    const reply = await events.request(method, id, params);
    if (reply !== undefined) send({ id, ...reply });
  };
  const receive = (line: string): void => {
    const message = jsonOf(line);
    if (!isRecord(message)) {
      log.warning("app-server printed a line that is not JSON", { line: shown(line).slice(0, LINE_SHOWN) });
      return;
    }
    const { id, method } = message;
    const params = isRecord(message["params"]) ? message["params"] : {};
    if (typeof method !== "string") pending.settle(message);
    else if (typeof id !== "number" && typeof id !== "string") events.notification(method, params);
    else
      answer(method, id, params).catch((error: unknown) =>
        send({ id, error: { code: -32603, message: shown(String(error)) } }),
      );
  };
  child.onOutput((chunk, stream) => {
    if (stream === "stderr") return tail.heard(chunk.toString("utf8"));
    if (reason !== undefined) return undefined;
    const read = lines.read(chunk);
    if (read === undefined) return giveUp("the app-server sent a message that is too long");
    return read.forEach(receive);
  });
  const watchExit = async (): Promise<void> => {
    const { code, signal } = await child.exited;
    await settlesWithin(clock, LAST_OUTPUT_MS, child.closed);
    const how = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
    const last = shown(tail.last().replace(/\n/g, "\u2028")).replace(/\u2028/g, "\n");
    finish(`the app-server ${how}${last === "" ? "" : `:\n${last}`}`);
    // What it started is of no use without it.
    closing ??= endWithBelow(spawner, child.pid);
    await closing;
  };
  /** One that can tell nothing more is of no use, though it lives (extensions part, 8.9). */
  const watchOutput = async (): Promise<void> => {
    await child.outputEnded;
    if (!(await settlesWithin(clock, CLOSED_OUTPUT_MS, child.exited))) giveUp("the app-server closed its output");
  };
  for (const watch of [watchOutput, watchExit])
    watch().catch((error: unknown) => finish(`the app-server is lost: ${String(error)}`));
  const close = async (): Promise<void> => {
    await endProgram({ child, spawner, clock });
    finish("the app-server was ended");
  };
  return {
    ended,
    reason: () => reason,
    notify: (method, params) => send({ method, params }),
    request: async (method, params) => {
      if (reason !== undefined) throw new ProgramFailure(reason);
      return await pending.request(method, params);
    },
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}
