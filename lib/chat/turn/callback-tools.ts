import { AppError, toAppError } from "../../base/errors.js";
import { readAtMost } from "../../base/fs/files.js";
import { mimeOf, PICTURE_BYTES } from "../../base/fs/picture-facts.js";
import { modelPictures } from "../../contracts/models/pictures.js";
import type { CallbackResult, CallbackTool, CallbackTools } from "../../contracts/runtimes/callback.js";
import type { ToolEntry } from "../../tools/core/entry.js";
import { type CallOutcome, runCalls } from "../../tools/run/pipeline.js";
import { createScheduler } from "../../tools/run/schedule.js";
import { recordMutations } from "./footer.js";
import type { TurnState } from "./turn-state.js";

/** Tools that a program of another maker may call while it works a turn (extensions part, 9); no others, whatever the settings enable. */
export const CALLBACK_TOOLS: ReadonlySet<string> = new Set([
  "web_search",
  "web_extract",
  "browser_navigate",
  "browser_click",
  "browser_type",
  "browser_press",
  "browser_snapshot",
  "browser_scroll",
  "browser_back",
  "browser_get_images",
  "browser_console",
  "browser_vision",
  "vision_analyze",
  "image_generate",
  "skill_view",
  "skills_list",
  "text_to_speech",
  "kanban_show",
  "kanban_list",
  "kanban_complete",
  "kanban_block",
  "kanban_heartbeat",
  "kanban_comment",
  "kanban_create",
  "kanban_unblock",
  "kanban_link",
]);

/** What a call of the program needs of the turn that it belongs to. */
export type CallbackTurn = Pick<TurnState, "id" | "deps" | "signal" | "turnUsage">;

export interface CallbackTurnHooks {
  /** A call has ended; `endsRun` of its outcome says that a worker's task is over with it, `halt` that a guardrail ends the turn. */
  ended?(outcome: CallOutcome): void;
}

/** The tools of one conversation for its program, which may outlive a turn. */
export interface TurnCallback {
  /** For the door. Between turns the last list is shown and calls are refused. */
  readonly tools: CallbackTools;
  /** Calls belong to this turn from now on. The result ends that: what still runs is cancelled, and has ended when it resolves. */
  begin(turn: CallbackTurn, hooks?: CallbackTurnHooks): () => Promise<void>;
}

interface Running {
  readonly turn: CallbackTurn;
  readonly hooks: CallbackTurnHooks;
  readonly offered: ReadonlyMap<string, ToolEntry>;
  readonly scheduler: ReturnType<typeof createScheduler>;
  readonly ended: AbortController;
  readonly calls: Set<Promise<unknown>>;
  count: number;
}

/** The callback tools of a conversation. Nothing is offered before its first turn. */
export function callbackTools(): TurnCallback {
  let running: Running | undefined;
  let offered: ReadonlyMap<string, ToolEntry> = new Map();
  return {
    tools: {
      list: async () => [...offered.values()].map(toCallbackTool),
      call: async (name, args, signal) => {
        const now = running;
        if (now === undefined) return failure(`${name} was not called: no turn of the conversation is running`);
        const entry = now.offered.get(name);
        if (entry === undefined) return failure(unknownText(name, now.offered));
        const call = runCall(now, { entry, args, signal });
        now.calls.add(call);
        try {
          return await call;
        } finally {
          now.calls.delete(call);
        }
      },
    },
    begin: (turn, hooks = {}) => {
      offered = offeredIn(turn);
      const mine: Running = {
        turn,
        hooks,
        offered,
        scheduler: createScheduler(),
        ended: new AbortController(),
        calls: new Set(),
        count: 0,
      };
      running = mine;
      return async () => {
        if (running === mine) running = undefined;
        mine.ended.abort(new AppError("E_INTERRUPTED", "the turn has ended"));
        await Promise.allSettled(mine.calls);
      };
    },
  };
}

/** Those of the turn's own list: availability, switches and the gating of the board are decided there. */
function offeredIn({ deps }: CallbackTurn): ReadonlyMap<string, ToolEntry> {
  const entries = [...deps.tools, ...(deps.deferred ?? [])].filter(({ name }) => CALLBACK_TOOLS.has(name));
  return new Map(entries.map((entry) => [entry.name, entry]));
}

const toCallbackTool = ({ name, description, schema, risk }: ToolEntry): CallbackTool => ({
  name,
  description,
  schema,
  reads: risk === "read",
});

interface Asked {
  readonly entry: ToolEntry;
  readonly args: unknown;
  readonly signal: AbortSignal;
}

/** Through the dispatcher of the loop: hooks, guards, approvals, redaction and limits are those of the conversation. */
async function runCall(now: Running, { entry, args, signal }: Asked): Promise<CallbackResult> {
  const { deps, id, signal: ofTurn, turnUsage } = now.turn;
  now.count += 1;
  const call = { id: `callback_${id}_${now.count}`, name: entry.name, arguments: JSON.stringify(args ?? {}) };
  const all = AbortSignal.any([ofTurn, now.ended.signal, signal]);
  try {
    const [outcome] = await runCalls(
      [call],
      {
        tools: new Map([[entry.name, await entry.load()]]),
        context: deps.context,
        signal: all,
        guard: deps.guard,
        clock: deps.clock,
        resultDir: deps.resultDir,
        runWhen: (effects, work) => now.scheduler.run(effects, work),
      },
      async (started, preview) => deps.files?.starting(started, preview, () => deps.context(call.id, all)),
      async (ended) => {
        turnUsage.denied.push(...(ended.denied ? [ended.denied] : []), ...(ended.deniedBelow ?? []));
        const { filesChanged: changed, filesNotChanged: notChanged, content } = ended;
        deps.files?.changed(changed);
        recordMutations(turnUsage, { tool: entry.name, content, changed, notChanged });
      },
    );
    await deps.files?.settled();
    if (outcome === undefined) return failure(`${entry.name} was not called`);
    now.hooks.ended?.(outcome);
    return { ...toResult(outcome), ...(await picturesOf(now.turn, outcome)) };
  } catch (error) {
    return failure(deps.redact(toAppError(error).message));
  }
}

const toResult = ({ content, status, halt }: CallOutcome): CallbackResult => ({
  text: halt === undefined ? content : `${content}\n\n${halt}`,
  isError: status !== "ok",
});

/** What the call showed, kept as files of the conversation as the loop keeps it. A picture that cannot be kept is not shown. */
async function picturesOf(
  { deps }: CallbackTurn,
  { call, images }: CallOutcome,
): Promise<Pick<CallbackResult, "images">> {
  if (images === undefined || deps.keepPictures === undefined) return {};
  try {
    const shown: { mime: string; base64: string }[] = [];
    for (const { path } of modelPictures(await deps.keepPictures(images))) {
      const bytes = await readAtMost(path, PICTURE_BYTES);
      const mime = bytes === undefined ? undefined : mimeOf(bytes);
      if (bytes !== undefined && mime !== undefined) shown.push({ mime, base64: bytes.toString("base64") });
    }
    return shown.length === 0 ? {} : { images: shown };
  } catch (error) {
    deps.log.warning("failed to keep pictures of a result", { tool: call.name, error: String(error) });
    return {};
  }
}

const failure = (text: string): CallbackResult => ({ text: JSON.stringify({ error: text }), isError: true });

function unknownText(name: string, offered: ReadonlyMap<string, ToolEntry>): string {
  const why = CALLBACK_TOOLS.has(name) ? "is not available in this conversation" : "does not exist";
  const known = [...offered.keys()].sort().join(", ");
  return `tool ${JSON.stringify(name.slice(0, 80))} ${why}; available: ${known === "" ? "none" : known}`;
}
