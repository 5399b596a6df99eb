import { AppError } from "../../base/errors.js";
import type { Log } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import type { NewSession, Transcript, TurnResult } from "../../contracts/chat/chat.js";
import type { Config } from "../../contracts/config/config.js";
import type { ToolRegistry } from "../../tools/registry/tool-registry.js";
import type { Conversation } from "../conversation/conversation.js";
import { MEMORY_NOTIFICATIONS, MEMORY_NUDGE_INTERVAL, SKILL_NUDGE_INTERVAL } from "./keys.js";
import { Nudges, type ReviewWish } from "./nudges.js";
import { overlayTranscript } from "./overlay-transcript.js";
import { reviewTools } from "./review-tools.js";
import { roundsSinceSkill, savedText } from "./saved.js";

/** Model requests of one review (core part, 30). */
const ROUNDS = 16;

/** Conversations that end with their turn, or that others hold: they are not reviewed. */
const NOT_REVIEWED: ReadonlySet<string> = new Set([
  "cli",
  "worker",
  "cron",
  "subagent",
  "tool",
  "background",
  "webhook",
]);

/** A conversation that may be reviewed after its turns. */
export interface Reviewed {
  readonly conversation: Conversation;
  readonly options: NewSession;
  /** What is stored of it now. */
  stored(): Transcript;
  /** The conversation over another transcript, without anyone to ask. */
  open(transcript: Transcript, tools: ToolRegistry): Conversation;
}

/** Looks back over conversations in the background, and saves what is worth keeping (core part, 30). */
export interface Reviews {
  /** The conversation; a turn that begins ends the review under way, one that ends may begin one. */
  around(reviewed: Reviewed): Conversation;
  /** End what is under way, and wait for it. */
  stop(): Promise<void>;
}

export interface ReviewDeps {
  readonly config: Pick<Config, "get">;
  readonly clock: Clock;
  readonly log: Log;
  readonly tools: ToolRegistry;
}

interface Running {
  readonly control: AbortController;
  readonly done: Promise<void>;
}

export function createReviews(deps: ReviewDeps): Reviews {
  const { config, log } = deps;
  const nudges = new Nudges(() => ({
    memory: config.get(MEMORY_NUDGE_INTERVAL),
    skills: config.get(SKILL_NUDGE_INTERVAL),
  }));
  const running = new Map<string, Running>();
  let stopped = false;
  const cancel = (lineage: string) =>
    running.get(lineage)?.control.abort(new AppError("E_INTERRUPTED", "a turn begins"));
  const begin = (reviewed: Reviewed, lineage: string, wish: ReviewWish) => {
    const control = new AbortController();
    const done = review(deps, nudges, { reviewed, wish, signal: control.signal })
      .catch((error: unknown) => {
        if (!control.signal.aborted) log.warning("a review of a conversation failed", { error: String(error) });
      })
      .finally(() => {
        if (running.get(lineage)?.control === control) running.delete(lineage);
      });
    running.set(lineage, { control, done });
  };
  const ended = (reviewed: Reviewed, { lineage_root, turn_id, completed, api_calls, provider }: TurnResult) => {
    if (stopped || !completed || !isReviewed(reviewed) || provider === "offline") return;
    const number = Number(/:(\d+)$/.exec(turn_id)?.[1] ?? 1);
    const wish = nudges.ended(lineage_root, { number, rounds: Math.max(0, api_calls - 1) });
    if ((wish.memory || wish.skills) && !running.has(lineage_root)) begin(reviewed, lineage_root, wish);
  };
  return {
    around: (reviewed) => {
      const { conversation } = reviewed;
      const run: Conversation["run"] = async (request, signal) => {
        cancel(conversation.session.lineage_root);
        const result = await conversation.run(request, signal);
        ended(reviewed, result);
        return result;
      };
      return Object.create(conversation, { run: { value: run } }) as Conversation; // the conversation itself, whose turns are noticed
    },
    stop: async () => {
      stopped = true;
      for (const { control } of running.values()) control.abort(new AppError("E_INTERRUPTED", "the owner is stopping"));
      await Promise.all([...running.values()].map(({ done }) => done));
    },
  };
}

const isReviewed = ({ options, conversation }: Reviewed): boolean =>
  options.ephemeral !== true && !conversation.session.ephemeral && !NOT_REVIEWED.has(options.source);

interface Job {
  readonly reviewed: Reviewed;
  readonly wish: ReviewWish;
  readonly signal: AbortSignal;
}

async function review(deps: ReviewDeps, nudges: Nudges, { reviewed, wish: due, signal }: Job): Promise<void> {
  const { config, clock, tools } = deps;
  const base = reviewed.stored();
  const messages = await base.messages();
  const { model, provider, system_prompt, lineage_root } = base.session;
  const since = due.skills ? roundsSinceSkill(messages) : undefined;
  const wish = {
    ...due,
    skills: due.skills && (since ?? Number.POSITIVE_INFINITY) >= config.get(SKILL_NUDGE_INTERVAL),
  };
  if (since !== undefined && !wish.skills) nudges.changedSkill(lineage_root, since);
  const names = new Set(
    tools.entries({ session: base.session.id, profile: base.session.profile }).map(({ name }) => name),
  );
  const able = { memory: wish.memory && names.has("memory"), skills: wish.skills && names.has("skill_manage") };
  if (!system_prompt || (!able.memory && !able.skills)) return;
  const overlay = overlayTranscript(base, messages, { clock, model, provider });
  const conversation = reviewed.open(overlay, reviewTools(tools, messages.some(holdsOthers)));
  try {
    const { maxCostUsd } = reviewed.options; // a review spends at most what the session may spend
    const limits = { maxTurns: ROUNDS, ...(maxCostUsd === undefined ? {} : { maxCostUsd }) };
    await conversation.run({ text: reviewInstruction(able), ...limits, news: true }, signal);
  } finally {
    await conversation.close();
  }
  const how = config.get(MEMORY_NOTIFICATIONS);
  const text = savedText(overlay.added, how === "verbose");
  if (text !== undefined && how !== "off")
    await base.event(undefined, "notice", { level: "info", code: "review", text });
}

const MEMORY =
  "Memory: save what will still matter in later conversations: preferences and corrections of the user, facts about them, their projects and machines. " +
  "Not what concerns this task alone, what the files or the web tell anyway, or what is saved already.";
const SKILLS =
  "Skills: if a way of working was found here that will be needed again, after trial and error or by the user's correction, put it into a skill. " +
  "Look at the skills that exist first and extend one of them rather than making a narrow one.";

/** What a review is asked for; it stands behind the conversation as it was. */
function reviewInstruction({ memory, skills }: ReviewWish): string {
  return [
    "[REVIEW] The conversation above is not continued here, and no one reads your answer. Look back over it and save what is worth keeping.",
    ...(memory ? [MEMORY] : []),
    ...(skills ? [SKILLS] : []),
    "Only the tools memory, skills_list, skill_view and skill_manage work. If nothing is worth saving, which is the usual case, answer: Nothing to save.",
  ].join("\n\n");
}

/** Content that came from outside: pages, mails, results of servers. */
const holdsOthers = ({ content }: { readonly content: string }): boolean => content.includes("<untrusted_tool_result");
