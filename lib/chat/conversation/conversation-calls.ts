import { join } from "node:path";
import type { Log } from "../../base/log/log.js";
import type { TurnId } from "../../base/units.js";
import type { EditorFiles } from "../../contracts/acp/editor-files.js";
import type { ToolPorts } from "../../tools/core/define.js";
import type { ProcessHooks } from "../../tools/shell/registry.js";
import { approvalContext } from "../approvals/context.js";
import { createHeardOthers } from "../approvals/heard-others.js";
import type { ConversationTools } from "../transcript/tool-state.js";
import type { TurnDeps } from "../turn/turn-types.js";
import type { ConversationDeps, ConversationInput, CurrentTurn, TurnRequest } from "./conversation-types.js";

/** Where a conversation is held, in the words of hooks: the tag of a platform, or the kind of front end. */
export const platformOf = ({ origin, transcript }: Pick<ConversationInput, "origin" | "transcript">): string =>
  origin?.platform ?? transcript.session.source;

/** What each call of a tool may use. */
export function contextOf(
  deps: ConversationDeps,
  input: ConversationInput,
  state: ConversationTools,
  now: CurrentTurn,
): TurnDeps["context"] {
  const { env, redact, redactStream, reveal, board, boardSlug, children, recall, reach, origin } = input;
  const heard = createHeardOthers(input, deps.log);
  return (callId, signal) => ({
    callId,
    session: input.transcript.session.id,
    turn: now.turn,
    home: deps.home,
    state,
    ports: withEditor(deps.ports, input.editor?.()),
    config: deps.config,
    log: deps.log.child("tools"),
    env,
    signal,
    ...(deps.hooks === undefined ? {} : { hooks: deps.hooks }),
    redact,
    redactStream,
    reveal,
    ...approvalContext(
      { ...input, config: deps.config, clock: deps.ports.clock },
      { callId, signal, facts: now.facts, heard, turn: () => now.turn, cwd: () => state.cwd },
    ),
    progress: (text) => input.live("tool.progress", { call_id: callId, text }),
    addSideUse: (use) => input.transcript.addSideUsage(use, now.turn),
    resultDir: sinks(deps, input).resultDir,
    ...(now.force === undefined ? {} : { force: now.force }),
    ...(board === undefined ? {} : { board }),
    ...(boardSlug === undefined ? {} : { boardSlug }),
    ...(origin === undefined ? {} : { origin }),
    ...(recall === undefined ? {} : { recall }),
    ...(reach === undefined ? {} : { reach }),
    ...(children === undefined ? {} : { children }),
    offered: [...(now.offer?.tools ?? []), ...(now.offer?.deferred ?? [])].map((entry) => entry.name),
    ...(now.offer === undefined || now.offer.deferred.length === 0 ? {} : { deferred: now.offer.deferred }),
  });
}

const withEditor = (ports: ToolPorts, editor: EditorFiles | undefined): ToolPorts =>
  editor === undefined ? ports : { ...ports, editor };

/** A rule file that cannot be read, or one that is not trusted: an event of the turn, and a notice to its viewers. */
export function tellOfRules(
  { transcript, log }: Pick<ConversationInput, "transcript"> & { readonly log: Log },
  turn: TurnId | undefined,
  { text, tell }: { readonly text: string; readonly tell: TurnRequest["onNotice"] },
): void {
  tell?.({ level: "warning", text });
  if (turn === undefined) return;
  transcript
    .event(turn, "notice", { level: "warning", code: "permissions", text })
    .catch((error: unknown) => log.warning("failed to store a notice", { error: String(error) }));
}

/** What background processes tell goes to the conversation as it is open now. */
export function processHooks(
  deps: ConversationDeps,
  { redact, transcript, notice }: ConversationInput,
  turn: () => TurnId | undefined,
): ProcessHooks {
  const log = deps.log.child("tools");
  const late = (what: string) => (error: unknown) =>
    log.warning(`failed to report ${what} of a background process`, { error: String(error) });
  return {
    redact,
    notify: (text, by) => {
      notice?.(transcript.session.id, { text, by }).catch(late("the end"));
    },
    told: (event, data) => {
      const id = turn();
      if (id !== undefined) transcript.event(id, event, data).catch(late("an event"));
    },
  };
}

/** Where what a conversation shows and keeps goes. */
export function sinks(deps: ConversationDeps, input: ConversationInput) {
  return {
    live: input.live,
    redact: input.redact,
    redactStream: input.redactStream,
    resultDir: join(deps.home.cache, "results", input.transcript.session.lineage_root),
  };
}
