import * as z from "zod";
import { defineEndpoint, type Endpoint } from "../../../http/endpoint.js";
import type { DashboardParts } from "../../core/parts.js";

const tag = "profiles";
const params = z.object({ name: z.string().describe("profile") });
const text = z.string().nullable();

const profile = z.object({
  name: z.string(),
  path: z.string(),
  is_default: z.boolean(),
  is_current: z.boolean(),
  owner_running: z.boolean(),
  gateway_running: z.boolean(),
  model: text,
  provider: text,
  has_env: z.boolean(),
  skill_count: z.int(),
  skills: z.array(z.string()),
  alias_path: text,
  description: z.string(),
  description_auto: z.boolean(),
  distribution: z.record(z.string(), z.unknown()).nullable(),
});

const outcome = z.object({
  profile: z.string(),
  ok: z.boolean(),
  reason: z.string(),
  description: z.string(),
  description_auto: z.boolean(),
});

/** The profiles of this root. */
export const API_PROFILE_ENDPOINTS: readonly Endpoint<DashboardParts>[] = [
  defineEndpoint({
    method: "GET",
    path: "/profiles",
    summary: "List the profiles.",
    tag,
    answer: z.array(profile),
    run: async (_request, { profiles, home }: DashboardParts) => ({ json: await profiles.list(home.profile) }),
  }),
  defineEndpoint({
    method: "POST",
    path: "/profiles",
    summary: "Create a profile with its own home.",
    tag,
    body: z.object({
      name: z.string().max(200),
      description: z.string().max(2_000).optional(),
      clone_from: z
        .string()
        .max(200)
        .optional()
        .describe("profile to copy settings, secrets, character and memories from"),
    }),
    answer: profile,
    success: 201,
    errors: [404, 409],
    run: async ({ body: { name, description, clone_from: cloneFrom } }, { profiles, home }: DashboardParts) => ({
      status: 201,
      json: await profiles.create({ name, description, cloneFrom }, home.profile),
    }),
  }),
  defineEndpoint({
    method: "GET",
    path: "/profiles/active",
    summary: "Read the profile of this owner.",
    tag,
    answer: profile,
    run: async (_request, { profiles, home }: DashboardParts) => ({
      json: await profiles.show(home.profile, home.profile),
    }),
  }),
  defineEndpoint({
    method: "GET",
    path: "/profiles/:name",
    summary: "Read a profile.",
    tag,
    params,
    answer: profile,
    errors: [404],
    run: async (request, { profiles, home }: DashboardParts) => ({
      json: await profiles.show(request.params.name, home.profile),
    }),
  }),
  defineEndpoint({
    method: "PUT",
    path: "/profiles/:name/description",
    summary: "Set the description of a profile; an empty text clears it.",
    tag,
    params,
    body: z.object({ description: z.string().max(2_000) }),
    answer: outcome,
    errors: [404],
    run: async (request, { profiles }: DashboardParts) => ({
      json: await profiles.setDescription(request.params.name, request.body.description),
    }),
  }),
  defineEndpoint({
    method: "POST",
    path: "/profiles/:name/describe-auto",
    summary: "Generate the description with a model. Returns 200 with `ok` false if that failed.",
    tag,
    params,
    body: z.object({ overwrite: z.boolean().default(false).describe("also replace a written description") }),
    answer: outcome,
    errors: [404],
    run: async (request, { profiles }: DashboardParts) => ({
      json: await profiles.generateDescription(request.params.name, request.body),
    }),
  }),
];
