import type { Ms } from "../../../lib/base/units.js";
import {
  type DesktopDriver,
  type DriverAnswer,
  type DriverCall,
  DriverFailure,
} from "../../../lib/contracts/desktop/driver.js";
import { McpConnectError, type McpConnection, McpFailure } from "../../../lib/contracts/mcp/connection.js";
import { type McpEntry, mcpEntrySchema } from "../../../lib/contracts/mcp/entry.js";
import { createRunning } from "../../lsp/running.js";
import type { McpParts } from "../../mcp/parts.js";
import { startProgram } from "../../mcp/program.js";
import type { StartedProgram } from "../../mcp/programs.js";
import { createServerLog } from "../../mcp/stderr-log.js";
import { createStdioTransport } from "../../mcp/stdio-transport.js";

/** Extensions part, 10.6: how long a driver may take to start. */
const START_MS: Ms = 30_000;
/** Name of the driver in logs. */
const NAME = "computer-use";

/** How a driver is started. */
export interface DriverProgram {
  /** Program and arguments. */
  readonly command: readonly string[];
  /** What it gets beside the few variables of every server: its display. */
  readonly env: Readonly<Record<string, string>>;
}

/** Starts drivers of one process. What a killed process left behind is ended first. */
export function createDriverStarter(parts: McpParts): (program: DriverProgram) => Promise<DesktopDriver> {
  const { spawner, clock, log, home } = parts;
  const running = createRunning({ home: home.dir, spawner, log, folder: "desktop", what: "desktop drivers" });
  return async ({ command, env }) => {
    const [file = "", ...args] = command;
    const entry: McpEntry = mcpEntrySchema.parse({
      command: file,
      args,
      env,
      connect_timeout: START_MS / 1000,
      roots: "none",
    });
    const start = async () => {
      await running.sweep();
      const child = await startProgram(NAME, entry, parts);
      await running.started(child);
      child.exited.then(
        () => running.ended(child),
        (error: unknown) => log.warning("the end of a desktop driver was not noted", { error: String(error) }),
      );
      return { transport: createStdioTransport({ child, spawner, clock, log: createServerLog(parts, NAME) }) };
    };
    const connection = await connect(parts, entry, start);
    return await driverOf(connection);
  };
}

async function connect(parts: McpParts, entry: McpEntry, start: () => Promise<StartedProgram>): Promise<McpConnection> {
  const { connectServer } = await import("../../mcp/connection.js");
  const signal = AbortSignal.timeout(START_MS);
  const asked = {
    elicit: async () => ({ action: "decline" }),
  };
  const say = (_level: string, text: string): void => parts.log.debug("desktop driver", { text });
  // What a driver speaks is found out each time: another one may stand behind the same command tomorrow.
  const manifests = { verdict: async () => undefined, decide: async () => undefined };
  try {
    return await connectServer({
      parts,
      manifests,
      connect: { name: NAME, entry, signal, hooks: { asked, changed: () => undefined, say } },
      start,
    });
  } catch (error) {
    if (!(error instanceof McpConnectError)) throw error;
    throw new DriverFailure("unsent", `the desktop driver did not start: ${error.message}`, error);
  }
}

async function driverOf(connection: McpConnection): Promise<DesktopDriver> {
  let over = false;
  connection.ended.then(
    () => {
      over = true;
    },
    () => {
      over = true;
    },
  );
  const { tools } = await lists(connection);
  return {
    get over() {
      return over;
    },
    tools: new Map(tools.map(({ name, schema }) => [name, new Set(Object.keys(recordOf(schema["properties"])))])),
    required: new Map(tools.map(({ name, schema }) => [name, new Set(textsOf(schema["required"]))])),
    call: (call, signal) => send(connection, call, signal),
    close: () => connection.close(),
  };
}

async function lists(connection: McpConnection) {
  try {
    return await connection.lists(START_MS);
  } catch (error) {
    await connection.close();
    throw new DriverFailure("unsent", `the desktop driver does not list its tools: ${messageOf(error)}`, error);
  }
}

async function send(
  connection: McpConnection,
  { tool, args, timeoutMs }: DriverCall,
  signal: AbortSignal,
): Promise<DriverAnswer> {
  const params = { name: tool, arguments: args };
  try {
    const answer = await connection.send({ method: "tools/call", params, signal, timeoutMs, maxMs: timeoutMs });
    if (answer.kind !== "result")
      throw new DriverFailure("answered", "the driver asks questions, which cannot be answered here");
    return readResult(tool, answer.result);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (!(error instanceof McpFailure)) throw error;
    const kind = error.kind === "answered" ? "answered" : error.kind === "unsent" ? "unsent" : "lost";
    const what = kind === "answered" ? "the desktop driver refused" : "the desktop driver ended or does not answer";
    throw new DriverFailure(kind, `${what} (${tool}): ${error.message}`, error);
  }
}

/** The JSON of a result, and its picture. @throws DriverFailure when it is an error */
function readResult(tool: string, result: Readonly<Record<string, unknown>>): DriverAnswer {
  const content = Array.isArray(result["content"]) ? result["content"].map(recordOf) : [];
  const text = content
    .flatMap((part) => (part["type"] === "text" && typeof part["text"] === "string" ? [part["text"]] : []))
    .join("\n");
  const structured = recordOf(result["structuredContent"]);
  const value = Object.keys(structured).length > 0 ? structured : jsonOf(text);
  const said = typeof value["error"] === "string" ? value["error"] : text;
  if (result["isError"] === true || value["ok"] === false)
    throw new DriverFailure("answered", said === "" ? `the driver failed at ${tool}` : said.slice(0, 2_000));
  const image = content.find((part) => part["type"] === "image" && typeof part["data"] === "string");
  if (image === undefined) return { value };
  return { value, picture: Buffer.from(String(image["data"]), "base64") };
}

function jsonOf(text: string): Readonly<Record<string, unknown>> {
  try {
    return recordOf(JSON.parse(text));
  } catch {
    return text === "" ? {} : { message: text }; // words are an answer, too
  }
}

const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {}; // an object; what it holds is looked at where it is used

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
