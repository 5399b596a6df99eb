import type { UnderWay } from "../contracts/owner/owner.js";
import type { Processes } from "../tools/shell/registry.js";
import type { Children } from "./children/children.js";
import type { OpenSessions } from "./session-actor/open-sessions.js";
import type { LineageResources } from "./transcript/lineage-resources.js";

interface Parts {
  readonly open: OpenSessions;
  readonly children: Children;
  readonly resources: LineageResources;
}

/** What would be cut off if this owner stopped now. */
export async function underWay({ open, children, resources }: Parts): Promise<Omit<UnderWay, "workers">> {
  const turns = open.all().filter((actor) => actor.busy);
  const processes = (resources.every("process") as readonly Processes[]) // the process tool puts them there
    .flatMap(({ all }) => [...all.values()])
    .filter((one) => one.exitCode === undefined);
  return {
    turns: turns.map(({ session }) => session.title ?? session.id),
    children: (await children.children()).filter(({ status }) => status === "running").map(({ goal }) => goal),
    processes: processes.map(({ command }) => command),
  };
}
