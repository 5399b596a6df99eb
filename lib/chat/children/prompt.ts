import type { ChildTask } from "../../tools/core/delegate-port.js";

const FOCUSED =
  "You are a child agent: another agent has sent you to do one task, with tools and a conversation of your own. Nobody reads along and nobody " +
  "answers questions, so decide what is open yourself and say so at the end. Do the task and nothing beside it.";

const SUMMARY =
  "When you are done, answer with a summary for the agent that sent you; it sees nothing else of your work. Say what you did, what you found, " +
  "which files you changed, and which issues are left open. Name files, lines and numbers; leave out how you got there.";

const ORCHESTRATOR =
  "You may give parts of your task to children of your own with delegate_task; put their results together yourself.";

/** What stands in the place of the identity in the system prompt of a child (core part, 25.2). */
export function childPrompt({ goal, context, role }: ChildTask, cwd: string): string {
  return [
    FOCUSED,
    `YOUR TASK:\n${goal}`,
    ...(context === undefined ? [] : [`CONTEXT:\n${context}`]),
    `WORKSPACE PATH: ${cwd}`,
    ...(role === "orchestrator" ? [ORCHESTRATOR] : []),
    SUMMARY,
  ].join("\n\n");
}
