import type { ChildChannel } from "../../base/process/spawn.js";
import type { CallInside } from "../core/call-inside.js";

/** What a process of execute_code may call. */
export interface CodeService {
  /** Names that its module offers. */
  readonly names: readonly string[];
  /** Names that this conversation has. */
  readonly offered: ReadonlySet<string>;
  call(name: string, args: Readonly<Record<string, unknown>>): ReturnType<CallInside>;
  /** Most calls. */
  readonly max: number;
}

export interface FailedCall {
  readonly tool: string;
  readonly error: string;
}

/** The calls of one process. */
export interface ServedCalls {
  /** Calls that reached a tool. */
  readonly made: number;
  readonly failed: readonly FailedCall[];
  /** Resolves when every call that was taken has ended. */
  settled(): Promise<void>;
}

/** Longest line that is read: a call with a large file to write. */
const LINE_BYTES = 64 << 20;
const ERROR_CHARS = 300;

/** Send the code to the process, and answer its calls from then on: one JSON object per line, either way. */
export function serve(channel: ChildChannel, code: string, service: CodeService): ServedCalls {
  const state: State = { service, made: 0, failed: [], open: new Set() };
  channel.onData(
    linesOf(
      (line) => take(state, channel, line),
      (head) => refuseLong(state, channel, head),
    ),
  );
  channel.send(`${JSON.stringify({ code, names: service.names })}\n`);
  return {
    get made() {
      return state.made;
    },
    failed: state.failed,
    settled: async () => {
      while (state.open.size > 0) await Promise.all(state.open);
    },
  };
}

/** Cuts what comes into lines; of one that is too long `tooLong` gets the beginning once, and the rest is dropped. */
function linesOf(whole: (line: string) => void, tooLong: (head: string) => void): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let size = 0;
  const add = (part: Buffer) => {
    const before = size;
    size += part.length;
    if (size <= LINE_BYTES) parts.push(part);
    else if (before <= LINE_BYTES) {
      tooLong(Buffer.concat([...parts, part].slice(0, 64)).toString("latin1", 0, 64));
      parts = [];
    }
  };
  return (chunk) => {
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      add(chunk.subarray(from, end));
      if (size <= LINE_BYTES) whole(Buffer.concat(parts).toString("utf8"));
      parts = [];
      size = 0;
      from = end + 1;
    }
    add(chunk.subarray(from));
  };
}

/** Its number stands first. Without an answer the program would wait for ever. */
function refuseLong(state: State, channel: ChildChannel, head: string): void {
  const id = /^\{"id": ?(\d{1,15}),/.exec(head)?.[1];
  if (id === undefined) return;
  const error = `the arguments of a call may have at most ${LINE_BYTES >> 20} MB`;
  state.failed.push({ tool: "", error });
  channel.send(`${JSON.stringify({ id: Number(id), error })}\n`);
}

interface State {
  readonly service: CodeService;
  made: number;
  readonly failed: FailedCall[];
  readonly open: Set<Promise<void>>;
}

function take(state: State, channel: ChildChannel, line: string): void {
  const asked = parse(line);
  if (asked === undefined) return; // not written by the module; other writers to its descriptor get no answer
  const work = answer(state, asked)
    .catch((error: unknown) => refused(state, asked.name, error instanceof Error ? error.message : String(error)))
    .then((reply) => {
      channel.send(`${JSON.stringify({ id: asked.id, ...reply })}\n`);
      state.open.delete(work);
    });
  state.open.add(work);
}

interface Asked {
  readonly id: number;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

function parse(line: string): Asked | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== "object" || value === null) return undefined;
    const { id, name, args } = value as Record<string, unknown>; // each member is looked at before it is used
    if (typeof id !== "number" || typeof name !== "string" || typeof args !== "object" || args === null)
      return undefined;
    return { id, name, args: args as Asked["args"] }; // an object with members of any kind
  } catch {
    return undefined; // no JSON
  }
}

type Reply = { readonly result: unknown } | { readonly error: string };

function refused(state: State, tool: string, error: string): Reply {
  state.failed.push({ tool, error });
  return { error };
}

async function answer(state: State, { name, args }: Asked): Promise<Reply> {
  const { names, offered, max, call } = state.service;
  const no = (error: string) => refused(state, name, error);
  if (!names.includes(name) || !offered.has(name)) return no(`${name} is not available in this conversation`);
  // The tool itself takes "true" and 1 for true as well.
  if (name === "terminal" && (args["background"] ?? false) !== false) return no("terminal runs in the foreground here");
  if (state.made >= max) return no(`the limit of ${max} tool calls is reached (code_execution.max_tool_calls)`);
  state.made += 1;
  const outcome = await call(name, args);
  const result = parsed(outcome.content);
  const error = outcome.status === "ok" ? errorIn(result) : (errorIn(result) ?? outcome.status);
  if (error !== undefined) state.failed.push({ tool: name, error: [...error].slice(0, ERROR_CHARS).join("") });
  return { result };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text; // a result may be plain text
  }
}

function errorIn(result: unknown): string | undefined {
  if (typeof result === "string" && result.startsWith("Error")) return result;
  if (typeof result !== "object" || result === null || !("error" in result)) return undefined;
  return typeof result.error === "string" ? result.error : undefined;
}
