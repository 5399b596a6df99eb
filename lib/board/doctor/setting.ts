import { assignedTasks, newestInstant, orphanDeliveries } from "../../../storage/tables/board/audit.js";
import { failingDeliveries } from "../../../storage/tables/board/cases.js";
import { RETENTION } from "../../contracts/board/gc.js";
import type { Check } from "../../contracts/check.js";
import { SYSTEM } from "../core/core.js";
import { KANBAN } from "../core/keys.js";
import { portsOf } from "../core/ports.js";
import { gcVerbs } from "../gc/gc.js";
import { checkOf, type DoctorCheck, REPORT, readBoardStore } from "./doctoring.js";

/** A dispatcher is there, may start workers, and does. */
export const checkDispatcher: DoctorCheck = async ({ core }): Promise<Check> => {
  const { forecast } = portsOf(core);
  const name = "dispatcher";
  switch (forecast.state()) {
    case "absent":
      return {
        name,
        status: "warn",
        detail: "no long-lived owner is running",
        fix: "agent, or agent --headless, starts one",
      };
    case "disabled":
      return {
        name,
        status: "warn",
        detail: "starting workers is disabled",
        fix: "agent config set kanban.dispatch_in_gateway true",
      };
    case "dispatching":
      if (!forecast.stalled()) return { name, status: "ok", detail: "starts workers" };
      return {
        name,
        status: "fail",
        detail: "ready tasks and free slots, but nothing starts",
        fix: "agent kanban next",
      };
  }
};

/** The slots of the board's side work. */
export const checkAuxiliary: DoctorCheck = async ({ core }) => {
  const missing = (await portsOf(core).auxiliary()).filter((one) => one.problem !== undefined);
  const fix = "agent config set auxiliary.SLOT.provider NAME; triage tasks wait until then";
  return checkOf(
    { name: "auxiliary models", ok: "models for specify, decompose and describe are configured", as: "warn", fix },
    [...new Set(missing.map((one) => one.problem))].map((problem) => {
      const slots = missing.filter((one) => one.problem === problem).map((one) => one.slot);
      return `${slots.join(", ")}: ${problem}`;
    }),
  );
};

/** The profiles that the settings name are there. */
export const checkProfiles: DoctorCheck = async ({ core }) => {
  const named = [KANBAN.defaultAssignee, KANBAN.orchestratorProfile].map(
    (key) => [key.key, core.config.get(key)] as const,
  );
  const missing = named.filter(([, name]) => name !== "" && !core.profiles.exists(name.trim().toLowerCase()));
  return checkOf(
    {
      name: "default assignee and orchestrator",
      ok: "both are profiles",
      as: "warn",
      fix: "agent config set KEY PROFILE; the default profile is used until then",
    },
    missing.map(([key, name]) => `${key}: unknown profile ${name}`),
  );
};

/** Assignees of unfinished tasks are profiles or something outside, and have the skills that the tasks ask for. */
export const checkAssignees: DoctorCheck = async (of) => {
  const { core } = of;
  const externals = core.config.get(KANBAN.externalAssignees);
  const mine = (await readBoardStore(of, assignedTasks)).filter(
    (task) => task.assignee !== null && !externals.includes(task.assignee),
  );
  const problems: string[] = [];
  for (const name of new Set(mine.flatMap(({ assignee }) => assignee ?? []))) {
    const problem = await core.profiles.workerProblem?.(name);
    if (problem !== undefined) problems.push(`${name}: ${problem}`);
  }
  const unknown = mine.filter((task) => !core.profiles.exists(task.assignee ?? ""));
  const wanted = new Set(mine.flatMap((task) => skillsOf(task.skills).map((skill) => `${task.assignee}\n${skill}`)));
  const lacking: string[] = [];
  for (const pair of core.orchestration === undefined ? [] : wanted) {
    const [profile = "", skill = ""] = pair.split("\n");
    if (core.profiles.exists(profile) && !(await core.orchestration?.hasSkill(profile, skill)))
      lacking.push(`${profile} does not have skill ${skill}`);
  }
  return [
    checkOf(
      {
        name: "assignees",
        ok: "every assignee is a profile or external",
        as: "warn",
        fix: "agent kanban assign ID PROFILE, or agent kanban edit ID --external",
      },
      unknown.map((task) => `${task.id} is assigned to ${task.assignee}, which is not a profile`),
    ),
    checkOf(
      {
        name: "worker programs",
        ok: "the worker programs of all assignees are installed",
        as: "warn",
        fix: "install the program, or agent -p PROFILE config set worker.program native; the tasks wait until then",
      },
      problems,
    ),
    checkOf(
      {
        name: "skills",
        ok: "assignees have the skills of their tasks",
        as: "warn",
        fix: "runs start without them; agent kanban edit ID --remove-skill NAME",
      },
      lacking,
    ),
  ];
};

function skillsOf(stored: string): readonly string[] {
  const list: unknown = JSON.parse(stored); // stored as a JSON array
  return Array.isArray(list) ? list.map(String) : [];
}

/** Invariant 11: messages to subscribers arrive, and none is forgotten before it is delivered or given up. */
export const checkDeliveries: DoctorCheck = async (of) => {
  const { failing, orphans } = await readBoardStore(of, async (q) => ({
    failing: await failingDeliveries(q, {}),
    orphans: await orphanDeliveries(q),
  }));
  const name = "deliveries";
  if (orphans > 0)
    return {
      name,
      status: "fail",
      detail: `${orphans} message(s) without a subscription`,
      fix: REPORT,
    };
  return checkOf(
    {
      name,
      ok: "no discarded messages",
      as: "warn",
      fix: "agent kanban notify list lists subscriptions; agent kanban notify unsubscribe removes one",
    },
    failing.map(
      (one) =>
        `${one.count} message(s) to ${one.platform}:${one.chat_id} were discarded${one.error === null ? "" : `: ${one.error}`}`,
    ),
  );
};

/** Clocks of two machines or two boots may differ a little. */
const AHEAD_SECONDS = 60;

/** No event comes from the future. */
export const checkClock: DoctorCheck = async (of) => {
  const newest = (await readBoardStore(of, (q) => newestInstant(q, of.after))) ?? 0;
  const ahead = newest - of.now;
  return checkOf(
    {
      name: "clock",
      ok: "no event is in the future",
      as: "warn",
      fix: "set the clock of this machine; leases and deadlines depend on it",
    },
    ahead > AHEAD_SECONDS ? [`the newest event is ${ahead} s ahead of this machine's clock`] : [],
  );
};

/** What a clean-up would free. */
export const checkSpace: DoctorCheck = async ({ core, board }) => {
  const { size_bytes: bytes } = await gcVerbs(core).gc(board, { dryRun: true, retention: RETENTION }, SYSTEM);
  const detail =
    bytes === 0
      ? "agent kanban gc would free nothing"
      : `agent kanban gc would free ${(bytes / 1_048_576).toFixed(1)} MiB`;
  return { name: "space", status: "ok", detail };
};
