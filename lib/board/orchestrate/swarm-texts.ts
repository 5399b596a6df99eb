import type { TaskId } from "../../base/units.js";
import type { Swarm } from "../../contracts/board/orchestration.js";
import { BLACKBOARD } from "./blackboard.js";

const share = (root: TaskId): string =>
  `## Blackboard

The tasks of this swarm share what they find in the comments of ${root}: read it with kanban_show, add to it with kanban_comment on ${root}. A value
for the others is one comment of the form

    ${BLACKBOARD} {"key": "name", "value": ...}

The newest value of a key holds. The key \`topology\` lists the tasks of the swarm.`;

/** Body of the root. */
export const rootBody = (goal: string): string =>
  `## Goal\n\n${goal}\n\nThis task is done from the beginning: its comments are the blackboard of its swarm.`;

/** Body of a worker's task. */
export const workerBody = (goal: string, root: TaskId, title: string): string =>
  `## Your part\n\n${title}\n\n## Goal of the whole swarm\n\n${goal}\n\nOthers work on other parts at the same time; leave those to them.\n\n${share(root)}`;

/** Body of the verifier's task. */
export const verifierBody = (goal: string, swarm: Swarm): string =>
  `## Your part

Check whether the results of ${swarm.worker_ids.join(", ")} meet the goal. They are among the parent results of your context. Complete this task with
outcome \`accepted\` only if they pass, and name in the summary what you checked. Otherwise complete it with outcome \`rejected\` and say what is
missing: the synthesizer then waits.

## Goal of the whole swarm

${goal}

${share(swarm.root_id)}`;

/** Body of the synthesizer's task. */
export const synthesizerBody = (goal: string, swarm: Swarm): string =>
  `## Your part

Make one result out of what ${swarm.worker_ids.join(", ")} did and ${swarm.verifier_id} accepted; kanban_show tells what each of them did. Answer the
goal itself, without telling who did what.

## Goal of the whole swarm

${goal}

${share(swarm.root_id)}`;
