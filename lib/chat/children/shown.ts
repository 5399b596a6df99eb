import { DELEGATE_SLOT } from "../../../storage/tables/sessions/usage.js";
import type { ChatEvent } from "../../contracts/chat/chat.js";
import type { ChildInfo } from "../../contracts/chat/children.js";
import { headText, toScreenLine } from "../../safety/redact/text.js";
import type { ChildResult } from "../../tools/core/delegate-port.js";
import { createSessions } from "../sessions/sessions.js";
import type { ChildConversation } from "./child.js";
import { sumSessionTokens } from "./outcome.js";
import type { ChildJob, ChildrenDeps, Parent } from "./types.js";

/** A child as its parent's front ends see it. */
export interface ShownChild {
  info(): ChildInfo;
  /** Nothing further is shown of it. */
  unfollow(): void;
}

const GOAL_CHARS = 500;

/** Tell the front ends of the parent that a child has begun, and from then on what it does. */
export async function watchChild(
  deps: ChildrenDeps,
  parent: Parent,
  child: ChildConversation,
  job: ChildJob,
): Promise<ShownChild> {
  const { task, call, background } = job;
  const { clock } = deps.ports;
  const started = clock.mono();
  let tool: string | null = null;
  const info = (): ChildInfo => ({
    id: child.session.id,
    parent_session_id: parent.transcript.session.id,
    goal: headText(task.goal, GOAL_CHARS),
    role: task.role,
    status: "running",
    background,
    tokens: sumSessionTokens(child.transcript.session),
    tool,
    duration_ms: Math.round(clock.mono() - started),
    started_at: child.session.started_at,
  });
  const listener = ({ event, data }: ChatEvent) => {
    if (event !== "tool.started") return;
    tool = String(data["name"]);
    deps.tell(parent.transcript.session.id, call.turn, "child.progress", { ...info() });
    if (!background)
      call.progress(`${toScreenLine(task.goal, 60)}: ${tool} ${toScreenLine(String(data["preview"]), 80)}\n`);
  };
  const unfollow = deps.hub.follow(child.session.id, listener);
  await event(parent, job, "child.started", info());
  return { info, unfollow };
}

/** The record of the child is closed, its price is the parent's too, and the parent's front ends are notified. */
export async function closeChild(
  deps: ChildrenDeps,
  parent: Parent,
  child: ChildConversation,
  { job, shown, ended }: { readonly job: ChildJob; readonly shown: ShownChild; readonly ended: ChildResult },
): Promise<void> {
  shown.unfollow();
  try {
    const { store } = await deps.stores.of(child.session.id);
    const { clock, ids } = deps.ports;
    await createSessions({ store, clock, ids }).end(child.session.id, ended.status);
    await charge(parent, child, job);
    await event(parent, job, "child.ended", { ...shown.info(), status: ended.status });
  } catch (error) {
    // Its work is done and stored; a store that fails now fails the parent's own next step, with its own error.
    deps.log.error("failed to store the end of a child", { session: child.session.id, error: String(error) });
  }
}

/** What the child's requests cost is in the cost of its parent, under a slot of its own. */
async function charge(parent: Parent, { transcript }: ChildConversation, { call }: ChildJob): Promise<void> {
  const { model, provider, api_call_count: asked, estimated_cost_usd: cost, ...used } = transcript.session;
  if (asked === 0) return;
  const usage = {
    input: used.input_tokens,
    output: used.output_tokens,
    cacheRead: used.cache_read_tokens,
    cacheWrite: used.cache_write_tokens,
    reasoning: used.reasoning_tokens,
    ...(cost === null ? {} : { costUsd: cost }),
  };
  await parent.transcript.addSideUsage({ slot: DELEGATE_SLOT, model, provider, usage }, call.turn);
}

async function event(parent: Parent, { call }: ChildJob, kind: string, info: ChildInfo): Promise<void> {
  if (call.turn !== undefined) await parent.transcript.event(call.turn, kind, { ...info });
}
