import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { KANBAN } from "../../board/keys.js";
import { defineEndpoint, type Endpoint } from "../../http/endpoint.js";
import type { KanbanParts } from "../parts.js";

const tag = "orchestration";
const name = z.string().describe("empty: the profile default");

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
    summary: "How tasks are decomposed and routed, with what holds where nothing is set.",
    tag,
    answer,
    run: async (_request, parts: KanbanParts) => ({ json: await told(parts) }),
  }),
  defineEndpoint({
    method: "PUT",
    path: "/orchestration",
    summary: "Change any of it; what is left out stays.",
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
      const { orchestrator_profile, default_assignee, auto_decompose, auto_promote_children } = body;
      const changes: readonly [string, string | undefined][] = [
        [KANBAN.orchestratorProfile.key, profileText("orchestrator_profile", orchestrator_profile, known)],
        [KANBAN.defaultAssignee.key, profileText("default_assignee", default_assignee, known)],
        [KANBAN.autoDecompose.key, auto_decompose?.toString()],
        [KANBAN.autoPromoteChildren.key, auto_promote_children?.toString()],
      ];
      for (const [key, value] of changes) await write(parts, key, value);
      return { json: await told(parts) };
    },
  }),
];

async function write({ settings }: KanbanParts, key: string, value: string | undefined): Promise<void> {
  if (value === undefined) return;
  if (value === "") await settings.unset(key);
  else await settings.set(key, value, { asText: value !== "true" && value !== "false", force: false });
}

/** Undefined: it stays. Empty: nothing is set any more. @throws E_INVALID */
function profileText(field: string, given: string | null | undefined, known: ReadonlySet<string>): string | undefined {
  if (given === undefined) return undefined;
  const wanted = (given ?? "").trim().toLowerCase();
  if (wanted === "" || known.has(wanted)) return wanted;
  throw new AppError("E_INVALID", `${field}: there is no profile '${wanted.slice(0, 80)}'`, { field });
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
  const [orchestrator, assignee] = [config.get(KANBAN.orchestratorProfile), config.get(KANBAN.defaultAssignee)];
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
