import { LAST_WORDS, type WaitReason } from "../../contracts/board/explain.js";
import { ending, toWaitReason } from "./reasons-made.js";
import type { WhyFacts } from "./why-facts.js";

/** Why a task is blocked, and by whom. */
export function blockedReason({ task, log, lastText }: WhyFacts): WaitReason {
  const free = `agent kanban unblock ${task.id}`;
  const because =
    task.block_reason === null || task.block_reason.trim() === "" ? "." : `: ${ending(task.block_reason)}.`;
  const tail = log.length === 0 ? {} : { log };
  switch (task.block_kind ?? "human") {
    case "human":
      return toWaitReason("blocked_human", `It was blocked manually${because}`, {
        action: `${free} when ready`,
      });
    case "worker":
      return toWaitReason("blocked_worker", `Its worker asked for help${because}`, {
        action: `agent kanban comment ${task.id} ANSWER, then ${free}`,
      });
    case "breaker": {
      const error = task.last_failure_error === null ? "." : `: ${ending(task.last_failure_error)}.`;
      const times = task.consecutive_failures === 1 ? "once" : `${task.consecutive_failures} times in a row`;
      return toWaitReason("blocked_breaker", `It failed ${times} and is not retried${error}`, {
        ...tail,
        action: `agent kanban log ${task.id}, fix the cause, then ${free}`,
      });
    }
    case "protocol": {
      const said = lastText === null || lastText.trim() === "" ? {} : { last_text: lastText };
      const last = lastText === null || lastText.trim() === "" ? "" : `${LAST_WORDS}${ending(lastText.slice(0, 300))}.`;
      return toWaitReason("blocked_protocol", `Its worker stopped without completing or blocking it.${last}`, {
        ...tail,
        ...said,
        action: `agent kanban log ${task.id}, then ${free}`,
      });
    }
    case "budget":
      return toWaitReason("blocked_budget", `Its token budget is used up${because}`, {
        action: `agent config set kanban.max_tokens_per_task MORE, then ${free}`,
      });
  }
}
