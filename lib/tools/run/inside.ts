import type { ToolCall } from "../../contracts/models/model.js";
import type { CallInside } from "../core/call-inside.js";
import type { ToolState } from "../core/define.js";
import type { CallDeps, CallOutcome } from "./call.js";
import { createScheduler } from "./schedule.js";

/** Run the calls of one response, as the pipeline does. */
export type RunCalls = (
  calls: readonly ToolCall[],
  deps: CallDeps,
  onStart: (call: ToolCall, preview: string) => Promise<void>,
  onEnd: (outcome: CallOutcome) => Promise<void>,
) => Promise<readonly CallOutcome[]>;

/**
 * Calls that a tool makes while it runs: each passes through the whole pipeline, beside the others of the same tool as far as their effects
 * allow. Their results are read by a program, so that they are not cut, and hold no instructions of directories.
 */
export function callsInside(outer: string, given: CallDeps, runCalls: RunCalls): CallInside {
  const { directoryNotice: _, inside, ...deps } = given;
  const scheduler = createScheduler();
  const states = new WeakMap<ToolState, ToolState>();
  let count = 0;
  return async (name, args, signal) => {
    count += 1;
    const call: ToolCall = { id: `${outer}.${count}`, name, arguments: JSON.stringify(args) };
    const [outcome] = await runCalls(
      [call],
      {
        ...deps,
        signal,
        context: (id, own) => {
          const { state, ...context } = deps.context(id, own);
          return { ...context, whole: true, state: scriptState(state, states) };
        },
        whole: true,
        runWhen: (effects, work) => scheduler.run(effects, work),
      },
      async (started, preview) => inside?.started(started, preview, outer),
      async (ended) => inside?.ended(ended, outer),
    );
    if (outcome === undefined) throw new Error("the pipeline answers every call");
    return outcome;
  };
}

/**
 * The state of the conversation with a memory of files of its own: what a program has read the model has not seen, so that it must not count
 * as read, nor be left out as unchanged when the model reads it.
 */
function scriptState(outer: ToolState, known: WeakMap<ToolState, ToolState>): ToolState {
  const made = known.get(outer) ?? ownFiles(outer);
  known.set(outer, made);
  return made;
}

function ownFiles(outer: ToolState): ToolState {
  const own = new Map<string, { close?(): Promise<void> }>();
  return {
    get cwd() {
      return outer.cwd;
    },
    set cwd(path) {
      outer.cwd = path;
    },
    launchDir: outer.launchDir,
    entry<T extends { close?(): Promise<void> }>(name: string, make: () => T): T {
      if (name !== "files") return outer.entry(name, make);
      const entry = own.get(name) ?? make();
      own.set(name, entry);
      return entry as T; // only the memory of files is put there, under its one name
    },
    load: (name) => outer.load(name),
    save: (name, json) => outer.save(name, json),
  };
}
