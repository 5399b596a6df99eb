import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { KANBAN } from "../../board/core/keys.js";
import { defineEndpoint, type Endpoint } from "../../http/endpoint.js";
import type { KanbanParts } from "../core/parts.js";

const tag = "orchestration";
const name = z.string().describe("empty: the default profile");

const answer = z.object({
  orchestrator_profile: name,
  default_assignee: name,
  auto_decompose: z.boolean(),
  auto_promote_children: z.boolean(),
  resolved_orchestrator_profile: z.string(),
  resolved_default_assignee: z.string(),
  active_profile: z.string(),
});

/** Who works on decomposed tasks, and what happens by itself. */
export const ORCHESTRATION_ENDPOINTS: readonly Endpoint<KanbanParts>[] = [
  defineEndpoint({
    method: "GET",
    path: "/orchestration",
    summary: "Read how tasks are decomposed and routed, with defaults.",
    tag,
    answer,
    run: async (_request, parts: KanbanParts) => ({ json: await told(parts) }),
  }),
  defineEndpoint({
    method: "PUT",
    path: "/orchestration",
    summary: "Change these settings. Omitted fields are unchanged.",
    tag,
    body: z.object({
      orchestrator_profile: name.nullish(),
      default_assignee: name.nullish(),
      auto_decompose: z.boolean().optional(),
      auto_promote_children: z.boolean().optional(),
    }),
    answer,
    run: async ({ body }, parts: KanbanParts) => {
      const known = await namesOf(parts);
      const changes = {
        [KANBAN.orchestratorProfile.key]: profileName("orchestrator_profile", body.orchestrator_profile, known),
        [KANBAN.defaultAssignee.key]: profileName("default_assignee", body.default_assignee, known),
        [KANBAN.autoDecompose.key]: body.auto_decompose,
        [KANBAN.autoPromoteChildren.key]: body.auto_promote_children,
      };
      await parts.settings.change(
        Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)),
      );
      return { json: await told(parts) };
    },
  }),
];

/** Undefined: it stays. Null: nothing is set any more. @throws E_INVALID */
function profileName(
  field: string,
  given: string | null | undefined,
  known: ReadonlySet<string>,
): string | null | undefined {
  const wanted = given?.trim().toLowerCase();
  if (given === undefined || wanted === undefined || wanted === "") return given === undefined ? undefined : null;
  if (known.has(wanted)) return wanted;
  throw new AppError("E_INVALID", `${field}: unknown profile '${wanted.slice(0, 80)}'`, { field });
}

const namesOf = async ({ profiles, home }: KanbanParts): Promise<ReadonlySet<string>> =>
  new Set((await profiles.list(home.profile)).map((one) => one.name));

async function told(parts: KanbanParts): Promise<z.output<typeof answer>> {
  const { config, home } = parts;
  const known = await namesOf(parts);
  const resolved = (given: string): string => {
    const wanted = given.trim().toLowerCase();
    return known.has(wanted) ? wanted : "default";
  };
  const orchestrator = config.get(KANBAN.orchestratorProfile);
  const assignee = config.get(KANBAN.defaultAssignee);
  return {
    orchestrator_profile: orchestrator,
    default_assignee: assignee,
    auto_decompose: config.get(KANBAN.autoDecompose),
    auto_promote_children: config.get(KANBAN.autoPromoteChildren),
    resolved_orchestrator_profile: resolved(orchestrator),
    resolved_default_assignee: resolved(assignee),
    active_profile: home.profile,
  };
}
