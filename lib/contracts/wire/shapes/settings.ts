import * as z from "zod";
import type { ListedTool, ListedToolset, ToolListing } from "../../chat/tools.js";
import type { DescribeOutcome, ProfileRecord } from "../../config/profiles.js";
import type { ScreenKeys, Setting, SettingFinding } from "../../config/settings.js";
import type { FallbackChain, ModelName, OfferedModels } from "../../models/models-api.js";

/** Schema of `ScreenKeys`. */
export const screenKeysShape = z
  .object({ path: z.string(), given: z.record(z.string(), z.array(z.string())), problems: z.array(z.string()) })
  .meta({ id: "ScreenKeys" }) satisfies z.ZodType<ScreenKeys>;

/** Schema of `SettingFinding`. */
export const settingFindingShape = z
  .object({ key: z.string(), message: z.string() })
  .meta({ id: "SettingFinding" }) satisfies z.ZodType<SettingFinding>;

/** Schema of `Setting`. */
export const settingShape = z
  .object({ key: z.string(), value: z.unknown(), source: z.enum(["default", "file", "environment"]), help: z.string() })
  .meta({ id: "Setting" }) satisfies z.ZodType<Setting>;

/** Schema of `ModelName`. */
export const modelNameShape = z
  .object({ provider: z.string(), model: z.string(), base_url: z.string().exactOptional() })
  .meta({ id: "ModelName" }) satisfies z.ZodType<ModelName>;

/** Schema of `FallbackChain`. */
export const fallbackChainShape = z
  .object({
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
  })
  .meta({ id: "FallbackChain" }) satisfies z.ZodType<FallbackChain>;

/** Schema of `OfferedModels`. */
export const offeredModelsShape = z
  .object({
    provider: z.string(),
    base_url: z.string(),
    models: z.array(z.string()),
    problem: z.string().exactOptional(),
  })
  .meta({ id: "OfferedModels" }) satisfies z.ZodType<OfferedModels>;

/** Schema of `ProfileRecord`. */
export const profileRecordShape = z
  .object({
    name: z.string(),
    path: z.string(),
    is_default: z.boolean(),
    is_current: z.boolean(),
    owner_running: z.boolean(),
    gateway_running: z.boolean(),
    model: z.string().nullable(),
    provider: z.string().nullable(),
    has_env: z.boolean(),
    skill_count: z.number(),
    skills: z.array(z.string()),
    alias_path: z.string().nullable(),
    description: z.string(),
    description_auto: z.boolean(),
    distribution: z.record(z.string(), z.unknown()).nullable(),
  })
  .meta({ id: "ProfileRecord" }) satisfies z.ZodType<ProfileRecord>;

/** Schema of `DescribeOutcome`. */
export const describeOutcomeShape = z
  .object({
    profile: z.string(),
    ok: z.boolean(),
    reason: z.string(),
    description: z.string(),
    description_auto: z.boolean(),
  })
  .meta({ id: "DescribeOutcome" }) satisfies z.ZodType<DescribeOutcome>;

const listedToolShape = z
  .object({
    name: z.string(),
    toolset: z.string(),
    risk: z.string(),
    summary: z.string(),
    offered: z.boolean(),
    why: z.string().nullable(),
    core: z.boolean(),
    origin: z.object({ kind: z.enum(["mcp", "plugin"]), name: z.string() }).nullable(),
  })
  .meta({ id: "ListedTool" }) satisfies z.ZodType<ListedTool>;

/** Schema of `ListedToolset`. */
export const listedToolsetShape = z
  .object({
    name: z.string(),
    kind: z.enum(["set", "composite", "preset"]),
    tools: z.array(z.string()),
    on: z.boolean(),
  })
  .meta({ id: "ListedToolset" }) satisfies z.ZodType<ListedToolset>;

/** Schema of `ToolListing`. */
export const toolListingShape = z
  .object({
    wanted: z.array(z.string()),
    disabled: z.array(z.string()),
    tools: z.array(listedToolShape),
    toolsets: z.array(listedToolsetShape),
    notices: z.array(z.string()),
  })
  .meta({ id: "ToolListing" }) satisfies z.ZodType<ToolListing>;
