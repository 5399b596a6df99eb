import * as z from "zod";
import { modelRowShape, providerSetUpShape } from "../shapes/screens.js";
import {
  describeOutcomeShape,
  fallbackChainShape,
  listedToolsetShape,
  modelNameShape,
  offeredModelsShape,
  profileRecordShape,
  toolListingShape,
} from "../shapes/settings.js";
import type { Results } from "./define.js";

const description = z.object({ profile: z.string(), description: z.string(), description_auto: z.boolean() });

/** Answers about models, profiles and tools. */
export const MODELS_RESULTS: Results = {
  "fallback.add": z.object({
    primary: modelNameShape,
    entries: z.array(
      z.object({
        provider: z.string(),
        model: z.string(),
        base_url: z.string().exactOptional(),
        key_env: z.string().exactOptional(),
        has_key: z.boolean(),
        known: z.boolean(),
      }),
    ),
    ok: z.boolean(),
  }),
  "fallback.clear": z.object({
    ok: z.boolean(),
    removed: z.array(
      z.object({
        provider: z.string(),
        model: z.string(),
        base_url: z.string().exactOptional(),
        key_env: z.string().exactOptional(),
        has_key: z.boolean(),
        known: z.boolean(),
      }),
    ),
  }),
  "fallback.list": fallbackChainShape,
  "fallback.move": z.object({
    primary: modelNameShape,
    entries: z.array(
      z.object({
        provider: z.string(),
        model: z.string(),
        base_url: z.string().exactOptional(),
        key_env: z.string().exactOptional(),
        has_key: z.boolean(),
        known: z.boolean(),
      }),
    ),
    ok: z.boolean(),
  }),
  "fallback.remove": z.object({
    primary: modelNameShape,
    entries: z.array(
      z.object({
        provider: z.string(),
        model: z.string(),
        base_url: z.string().exactOptional(),
        key_env: z.string().exactOptional(),
        has_key: z.boolean(),
        known: z.boolean(),
      }),
    ),
    ok: z.boolean(),
    removed: z
      .object({
        provider: z.string(),
        model: z.string(),
        base_url: z.string().exactOptional(),
        key_env: z.string().exactOptional(),
        has_key: z.boolean(),
        known: z.boolean(),
      })
      .exactOptional(),
  }),
  model: z.union([
    z.object({ current: modelNameShape, providers: z.array(offeredModelsShape) }),
    z.object({
      window: z.number(),
      global: z.boolean(),
      changed: z.boolean(),
      provider: z.string(),
      model: z.string(),
      base_url: z.string().exactOptional(),
      ok: z.boolean(),
    }),
  ]),
  "models.list": z.array(modelRowShape),
  "models.set_key": z.object({ stored: z.string() }),
  "models.set_up": providerSetUpShape,
  "models.test": z.object({ ok: z.boolean(), ms: z.number(), text: z.string() }),
  "profile.create": profileRecordShape,
  "profile.describe": z.union([
    describeOutcomeShape,
    description,
    z.array(z.union([describeOutcomeShape, description])),
  ]),
  "profile.list": z.array(profileRecordShape),
  "profile.show": profileRecordShape,
  "tools.disable": z.object({ ok: z.boolean(), toolsets: z.array(z.string()) }),
  "tools.enable": z.object({ ok: z.boolean(), toolsets: z.array(z.string()) }),
  "tools.list": toolListingShape,
  toolsets: z.array(listedToolsetShape),
};
