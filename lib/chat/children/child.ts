import { resolve } from "node:path";
import { AppError } from "../../base/errors.js";
import type { SessionId, TurnId } from "../../base/units.js";
import type { MessageRecord, NewSession, SessionRecord, Transcript } from "../../contracts/chat/chat.js";
import type { CheckpointTaker } from "../../contracts/owner/checkpoints.js";
import { DELEGATION } from "../../tools/core/delegate-keys.js";
import type { ChildResult, ChildrenPort, ChildTask } from "../../tools/core/delegate-port.js";
import { TERMINAL_CWD } from "../../tools/core/keys.js";
import { keepHeard } from "../approvals/heard-others.js";
import { type Conversation, openConversation } from "../conversation/conversation.js";
import { createPhases, type Phases } from "../session-actor/phases.js";
import { beginThinking, modelForTurn } from "../sessions/session-model.js";
import { ofParent } from "../transcript/placeholders.js";
import { openTranscript } from "../transcript/transcript.js";
import { childToolsets, withheldFrom } from "./allowed.js";
import { type EndedChild, outcomeOf, type StoppedBy } from "./outcome.js";
import type { ChildGate, ChildJob, ChildrenDeps, Parent } from "./types.js";

const FOCUSED =
  "You are a child agent: another agent has sent you to do one task, with tools and a conversation of your own. Nobody reads along and nobody " +
  "answers questions, so decide what is open yourself and say so at the end. Do the task and nothing beside it.";

const SUMMARY =
  "When you are done, answer with a summary for the agent that sent you; it sees nothing else of your work. Say what you did, what you found, " +
  "which files you changed, and which issues are left open. Name files, lines and numbers; leave out how you got there.";

const ORCHESTRATOR =
  "You may give parts of your task to children of your own with delegate_task; put their results together yourself.";

/** What stands in the place of the identity in the system prompt of a child (core part, 25.2). */
function childPrompt({ goal, context, role }: ChildTask, cwd: string): string {
  return [
    FOCUSED,
    `YOUR TASK:\n${goal}`,
    ...(context === undefined ? [] : [`CONTEXT:\n${context}`]),
    `WORKSPACE PATH: ${cwd}`,
    ...(role === "orchestrator" ? [ORCHESTRATOR] : []),
    SUMMARY,
  ].join("\n\n");
}

/** A child that has its session. */
export interface ChildConversation {
  readonly session: SessionRecord;
  readonly transcript: Transcript;
  readonly conversation: Conversation;
  /** What it does, in the words of its session. */
  readonly phases: Phases;
}

/** Ends a child early. The first cause counts. */
export interface Stop {
  readonly signal: AbortSignal;
  readonly by: StoppedBy | undefined;
  now(by: StoppedBy): void;
}

export function createStop(): Stop {
  const control = new AbortController();
  let first: StoppedBy | undefined;
  return {
    signal: control.signal,
    get by() {
      return first;
    },
    now: (by) => {
      first ??= by;
      control.abort(new AppError("E_INTERRUPTED", by === "timeout" ? "the child timed out" : "interrupted"));
    },
  };
}

/** Make the session of a child: its own record, seen in no list, and deleted with its parent's. */
export async function createChildSession(
  deps: ChildrenDeps,
  parent: Parent,
  job: ChildJob,
  below: (child: Parent) => ChildrenPort,
): Promise<ChildConversation> {
  const { task, call } = job;
  const above = parent.transcript.session;
  const cwd = resolve(call.cwd, deps.config.get(TERMINAL_CWD));
  const options: NewSession = {
    source: "subagent",
    cwd,
    env: parent.options.env,
    profile: above.profile,
    toolsets: task.toolsets,
  };
  const { stores } = deps;
  const session = await stores.create({
    source: "subagent",
    cwd,
    profile: above.profile,
    model: "",
    provider: "",
    toolsets: task.toolsets,
    ephemeral: above.ephemeral,
    parent: { session: above, relation: "delegate" },
  });
  const { store } = await stores.of(session.id);
  const transcript = openTranscript({ store, clock: deps.ports.clock }, session);
  const gate = gateFor(deps, parent, call);
  const board = deps.board(session, options);
  const checkpoints = () => onBehalf(parent.checkpoints?.(), { lineage: above.lineage_root, turn: call.turn });
  const editor = () => parent.editor?.();
  const recall = parent.recall === undefined ? {} : { recall: parent.recall };
  const heardBy = async () => {
    await keepHeard(parent.transcript);
    await parent.heardBy?.();
  };
  const phases = createPhases((event, data) => deps.tell(session.id, undefined, event, data), deps.ports.clock);
  const conversation = openConversation(deps, {
    ...gate,
    permit: asChild(gate, session.id),
    transcript,
    checkpoints,
    editor,
    cwd,
    env: options.env,
    boardTools: board.tools,
    wanted: await wantedModel(deps, parent, transcript),
    toolsets: childToolsets(task, parent.options.toolsets ?? [], {
      entries: deps.tools.entries({ session: above.id, profile: above.profile }),
      config: deps.config,
    }),
    ignoreRules: parent.options.ignoreRules === true,
    child: childPrompt(task, cwd),
    heardBy,
    withheld: withheldFrom(task, call, deps.config),
    ...recall,
    ...(board.port === undefined ? {} : { board: board.port }),
    ...(task.role === "orchestrator"
      ? {
          children: below({
            transcript,
            options,
            gate,
            checkpoints,
            editor,
            ...recall,
            heardBy,
            level: parent.level + 1,
          }),
        }
      : {}),
    live: phases.live,
  });
  return { session, transcript, conversation, phases };
}

/** Questions of a child are shown by its parent, which has to say whose they are. */
const asChild =
  ({ permit }: ChildGate, child: SessionId): ChildGate["permit"] =>
  (permission, call) =>
    permit(permission, { child, ...call });

/** Questions of a child are asked in the turn of its parent, by whose front ends they are shown. */
function gateFor(
  deps: ChildrenDeps,
  { gate: above, transcript, options }: Parent,
  { turn }: ChildJob["call"],
): ChildGate {
  const permit: ChildGate["permit"] = (permission, place) => above.permit(permission, { ...place, turn });
  const gate = { ...above, permit, placeholders: ofParent(above.placeholders) };
  if (!deps.config.get(DELEGATION.approve)) return gate;
  return { ...gate, permit: deps.gate(transcript.session, { ...options, yolo: true }).permit };
}

/** The settings of delegation, where they name something; else what the parent was given, or has chosen since. */
async function wantedModel({ config }: ChildrenDeps, { options, transcript: above }: Parent, child: Transcript) {
  const [model, provider, baseUrl, apiKey] = [
    DELEGATION.model,
    DELEGATION.provider,
    DELEGATION.baseUrl,
    DELEGATION.apiKey,
  ].map((key) => config.get(key).trim());
  const own = { ...(model ? { model } : {}), ...(provider ? { provider } : {}) };
  const inherited = {
    ...(options.model === undefined ? {} : { model: options.model }),
    ...(options.provider === undefined ? {} : { provider: options.provider }),
  };
  // A key belongs to its address: another one gets none that was not given for it.
  const address = baseUrl
    ? { baseUrl, apiKey: apiKey ?? "", ...(provider ? {} : { provider: "custom" }) }
    : apiKey
      ? { apiKey }
      : {};
  const { wanted, effort, fast } = await modelForTurn(above, config, inherited);
  await beginThinking(child, { effort: config.get(DELEGATION.effort) || effort, fast });
  return { ...(model || provider ? own : wanted), ...address };
}

/** Work a child to its end. Never rejects: whatever happens to it is its result. */
export async function workChild(
  deps: ChildrenDeps,
  child: ChildConversation,
  job: ChildJob,
  stop: Stop,
): Promise<ChildResult> {
  const { clock } = deps.ports;
  const started = clock.mono();
  const limit = deps.config.get(DELEGATION.timeout) * 1000;
  const cancel = limit > 0 ? clock.after(limit, () => stop.now("timeout")) : () => undefined;
  const how = await ended(deps, child, job, stop);
  cancel();
  const durationMs = clock.mono() - started;
  const messages = await read(child);
  return outcomeOf({
    index: job.index,
    session: child.transcript.session,
    messages,
    durationMs,
    stoppedBy: stop.by,
    how,
  });
}

async function ended(
  deps: ChildrenDeps,
  { conversation, phases }: ChildConversation,
  { task }: ChildJob,
  stop: Stop,
): Promise<EndedChild["how"]> {
  try {
    const maxTurns = deps.config.get(DELEGATION.maxIterations);
    return { result: await conversation.run({ text: task.goal, maxTurns }, stop.signal) };
  } catch (error) {
    return { error }; // a model that cannot be chosen, a store that cannot be written: the parent gets the error
  } finally {
    phases.idle();
    await conversation.close();
  }
}

async function read({ transcript }: ChildConversation): Promise<readonly MessageRecord[]> {
  try {
    return await transcript.messages();
  } catch {
    /* ok to lose: the trace is there for a look; what came of the child is known without it. */
    return [];
  }
}

/** The turn that sent a child. */
interface Sender {
  readonly lineage: SessionId;
  readonly turn: TurnId | undefined;
}

/** What a child keeps before it changes something belongs to the turn that sent it: an undo of that turn brings it back. */
function onBehalf(taker: CheckpointTaker | undefined, { lineage, turn }: Sender): CheckpointTaker | undefined {
  if (taker === undefined || turn === undefined) return taker;
  return {
    take: (input, signal) =>
      taker.take({ ...input, origin: { ...input.origin, answersTo: { lineage, turn } } }, signal),
    release: (directory, own) => taker.release(directory, own),
    directoryOf: (path, env, within) => taker.directoryOf(path, env, within),
  };
}
