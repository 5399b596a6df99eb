import * as z from "zod";
import { type ClientContext, defineMethod, type Methods } from "../../backplane/methods.js";
import { withLinkedSignal } from "../../base/async/abort-any.js";
import { AppError } from "../../base/errors.js";
import type { SessionId } from "../../base/units.js";
import type { CallerClaim } from "../../board/worker-api/worker-methods.js";
import { createSessions } from "../../chat/sessions/sessions.js";
import type { SessionRecord } from "../../contracts/chat/chat.js";
import { keepResultPictures } from "../../runtime/pictures/result-pictures.js";
import { cutMiddleBytes } from "../../safety/redact/text.js";
import type { AnyTool, Effects, ResultImage, ToolContext, ToolResult, ToolState } from "../../tools/core/define.js";
import type { ToolEntry } from "../../tools/core/entry.js";
import type { OwnerTool, OwnerToolLook, OwnerTools } from "../../tools/core/owner-tools.js";
import type { OwnerServices } from "../commands/owner-services.js";

const id = z.string().min(1).max(200);
const session = id.transform((text) => text as SessionId); // proved by the claim
const args = z.record(z.string(), z.unknown()).default({});
const calling = z.object({ session, name: id, args, call: id, cwd: z.string().max(8_192) });

/** Bytes of a result; a message to a client has to hold it with all its escapes. */
const RESULT_BYTES = 300_000;
/** Lines of progress that wait for a worker to fetch them. */
const LINES = 200;
/** How long a worker that fetches progress waits for some. */
const FETCH_MS = 25_000;
/** Before a worker asks again for the progress of a call that is not there. */
const PAUSE_MS = 500;

/** A call of a worker that runs here. */
interface Running {
  readonly session: SessionId;
  readonly control: AbortController;
  readonly lines: string[];
  ended: boolean;
  /** Called when there is something to fetch. */
  wake(): void;
}

/**
 * Tools of servers and plugins for board workers: they live in the owner, whose connections they use. The worker has asked for permission before
 * it calls; every call carries its claim, and names the conversation of its run.
 */
export function workerToolMethods(
  app: OwnerServices,
  allow: (claim: CallerClaim, session: SessionRecord) => Promise<void>,
): Methods {
  const running = new Map<string, Running>();
  const { clock, ids } = app.options;
  const allowed = async (client: ClientContext, of: SessionId): Promise<SessionRecord> => {
    if (!client.claim) throw new AppError("E_NOT_OWNER", "this method requires a board worker");
    const found = await createSessions({ store: await app.sessions(), clock, ids }).get(of);
    if (!found) throw new AppError("E_NOT_FOUND", `no such session: ${of}`, { session: of });
    await allow(client.claim, found);
    return found;
  };
  const entriesFor = async ({ id: of, profile }: SessionRecord) =>
    (await app.tools()).entries({ session: of, profile }).filter(({ origin }) => origin !== undefined);
  const toolFor = async (found: SessionRecord, name: string): Promise<AnyTool> => {
    const entry = (await entriesFor(found)).find((one) => one.name === name);
    if (entry === undefined) throw new AppError("E_NOT_FOUND", `no such tool: ${name}`, { tool: name });
    return entry.load();
  };
  const keyOf = (of: SessionId, call: string) => `${of}\0${call}`;
  return new Map([
    [
      "worker.tools",
      defineMethod({
        params: z.object({ session, wait: z.boolean().default(false) }),
        access: "read",
        workers: true,
        run: async ({ session: of, wait }, client): Promise<OwnerTools> => {
          const found = await allowed(client, of);
          const tools = await app.tools();
          if (wait) await tools.ready(client.signal);
          const entries = await entriesFor(found);
          return { toolsets: tools.toolsets(), tools: await Promise.all(entries.map(describe)) };
        },
      }),
    ],
    [
      "worker.tool_look",
      defineMethod({
        params: z.object({ session, name: id, args }),
        access: "read",
        workers: true,
        run: async ({ session: of, name, args: given }, client): Promise<OwnerToolLook> => {
          const tool = await toolFor(await allowed(client, of), name);
          const declared = tool.declares?.(given);
          return { preview: tool.preview(given), ...(declared === undefined ? {} : { declared }) };
        },
      }),
    ],
    [
      "worker.tool_call",
      defineMethod({
        params: calling,
        access: "write",
        workers: true,
        repeat: () => "noted", // it acts on the outside
        run: async ({ session: of, name, args: given, call, cwd }, client): Promise<ToolResult> => {
          const found = await allowed(client, of);
          const tool = await toolFor(found, name);
          const one: Running = {
            session: of,
            control: new AbortController(),
            lines: [],
            ended: false,
            wake: () => undefined,
          };
          running.set(keyOf(of, call), one);
          try {
            return await withLinkedSignal([client.signal, one.control.signal], async (signal) =>
              sized(await runFor(app, tool, { given, one, call, cwd, signal }), (images) =>
                keepResultPictures(app.options.home, images, found.lineage_root),
              ),
            );
          } finally {
            one.ended = true;
            one.wake();
            running.delete(keyOf(of, call));
          }
        },
      }),
    ],
    [
      "worker.tool_progress",
      defineMethod({
        params: z.object({ session, call: id }),
        access: "read",
        workers: true,
        run: async ({ session: of, call }, client): Promise<readonly string[]> => {
          await allowed(client, of);
          const one = running.get(keyOf(of, call));
          if (one === undefined) {
            await clock.sleep(PAUSE_MS, client.signal); // it has ended, or is about to begin
            return [];
          }
          if (one.lines.length === 0 && !one.ended) await somethingOf(one, client, clock);
          return one.lines.splice(0);
        },
      }),
    ],
    [
      "worker.tool_cancel",
      defineMethod({
        params: z.object({ session, call: id }),
        access: "write",
        workers: true,
        repeat: () => "safe",
        run: async ({ session: of, call }, client) => {
          await allowed(client, of);
          running.get(keyOf(of, call))?.control.abort(new Error("interrupted"));
          return null;
        },
      }),
    ],
  ]);
}

function somethingOf(one: Running, client: ClientContext, clock: OwnerServices["options"]["clock"]): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      cancel();
      client.signal.removeEventListener("abort", done);
      resolve();
    };
    const cancel = clock.after(FETCH_MS, done);
    client.signal.addEventListener("abort", done, { once: true });
    one.wake = done;
  });
}

async function describe(entry: ToolEntry): Promise<OwnerTool> {
  const { name, toolset, description, risk, schema, core = true, origin } = entry;
  const tool = await entry.load();
  return {
    name,
    toolset,
    description,
    risk,
    schema,
    core,
    ...(origin === undefined ? {} : { origin }),
    limits: tool.limits,
    effects: effectsOf(tool),
  };
}

const WORLD: Effects = { reads: [], writes: ["world"] };

/** What calls of the tool touch, whatever their arguments; the world, where that depends on them. */
function effectsOf(tool: AnyTool): Effects {
  try {
    const effects = tool.effects({}, { cwd: "/", userHome: "/" });
    const named = [...effects.reads, ...effects.writes].some((one) => /^(path|tree):/.test(one));
    return named ? WORLD : effects;
  } catch {
    return WORLD; // it looks at arguments that are not there
  }
}

interface CallPlace {
  /** Arguments as the worker has checked them. */
  readonly given: unknown;
  readonly one: Running;
  readonly call: string;
  readonly cwd: string;
  readonly signal: AbortSignal;
}

async function runFor(
  app: OwnerServices,
  tool: AnyTool,
  { given, one, call, cwd, signal }: CallPlace,
): Promise<ToolResult> {
  const { home, clock, ids, spawner, net, config, log } = app.options;
  const state = stateOf(cwd);
  const ctx: ToolContext = {
    callId: call,
    session: one.session,
    home,
    state: state.state,
    ports: { clock, ids, spawner, net },
    config,
    log: log.child("tools"),
    env: {},
    signal,
    permit: async () => ({
      allowed: false,
      status: "denied",
      message: "a tool that runs for a board worker cannot ask for more than the worker was allowed",
    }),
    // The worker redacts what it keeps and shows; it has the placeholders of its conversation.
    redact: (text) => text,
    redactStream: () => ({ push: (chunk) => chunk, pause: () => "", end: () => "" }),
    reveal: (text) => ({ text, used: false }),
    progress: (text) => {
      one.lines.push(text);
      if (one.lines.length > LINES) one.lines.shift();
      one.wake();
    },
  };
  try {
    return await tool.run(given, ctx);
  } finally {
    await state.close();
  }
}

/** What one call keeps while it runs. */
function stateOf(cwd: string): { readonly state: ToolState; close(): Promise<void> } {
  const entries = new Map<string, { close?(): Promise<void> }>();
  const state: ToolState = {
    cwd,
    launchDir: cwd,
    entry: (name, make) => {
      const there = entries.get(name) ?? make();
      entries.set(name, there);
      return there as ReturnType<typeof make>; // each name belongs to one tool, which makes one kind of entry
    },
    load: async () => undefined,
    save: async () => undefined,
  };
  const close = async () => {
    for (const entry of entries.values()) await entry.close?.();
  };
  return { state, close };
}

/** As much as a message to the worker can hold. Pictures go by their paths. */
async function sized(
  { images, ...result }: ToolResult,
  keep: (images: readonly ResultImage[]) => Promise<readonly ResultImage[]>,
): Promise<ToolResult> {
  return {
    ...result,
    text: cutMiddleBytes(result.text, RESULT_BYTES),
    ...(images === undefined ? {} : { images: await keep(images) }),
  };
}
