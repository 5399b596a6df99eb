import * as z from "zod";
import type { ProfileRecord } from "../../contracts/config/profiles.js";
import { defineEndpoint, type Endpoint } from "../../http/endpoint.js";
import type { KanbanParts } from "../core/parts.js";

const tag = "profiles";
const params = z.object({ name: z.string().describe("profile") });

const profile = z.object({
  name: z.string(),
  is_default: z.boolean(),
  model: z.string().nullable(),
  provider: z.string().nullable(),
  description: z.string(),
  description_auto: z.boolean(),
  skill_count: z.int(),
});

/** Profiles as the board routes to them (board part, 9.5). */
export const PROFILE_ENDPOINTS: readonly Endpoint<KanbanParts>[] = [
  defineEndpoint({
    method: "GET",
    path: "/profiles",
    summary: "List the profiles with their descriptions.",
    tag,
    answer: z.object({ profiles: z.array(profile) }),
    run: async (_request, { profiles, home }: KanbanParts) => ({
      json: { profiles: (await profiles.list(home.profile)).map(rowOf) },
    }),
  }),
  defineEndpoint({
    method: "PATCH",
    path: "/profiles/:name",
    summary: "Set the description of a profile; an empty text clears it.",
    tag,
    params,
    body: z.object({ description: z.string().max(2_000) }),
    answer: z.object({
      ok: z.boolean(),
      profile: z.string(),
      description: z.string(),
      description_auto: z.literal(false),
    }),
    errors: [404],
    run: async (request, { profiles }: KanbanParts) => {
      const { reason: _none, ...outcome } = await profiles.setDescription(
        request.params.name,
        request.body.description,
      );
      const { ok, profile: name, description } = outcome;
      return { json: { ok, profile: name, description, description_auto: false } };
    },
  }),
  defineEndpoint({
    method: "POST",
    path: "/profiles/:name/describe-auto",
    summary: "Generate the description of a profile with a model. Returns 200 with `ok` false if that failed.",
    tag,
    params,
    body: z.object({ overwrite: z.boolean().default(false).describe("also replace a written description") }),
    answer: z.object({ ok: z.boolean(), profile: z.string(), reason: z.string(), description: z.string() }),
    errors: [404],
    run: async (request, { profiles }: KanbanParts) => {
      const {
        ok,
        profile: name,
        reason,
        description,
      } = await profiles.generateDescription(request.params.name, request.body);
      return { json: { ok, profile: name, reason, description } };
    },
  }),
];

const rowOf = ({ name, is_default, model, provider, description, description_auto, skill_count }: ProfileRecord) => ({
  name,
  is_default,
  model,
  provider,
  description,
  description_auto,
  skill_count,
});
