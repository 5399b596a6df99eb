import { type ConfigKey, configKey } from "../../contracts/config/config.js";
import { REASONING_EFFORTS, type ReasoningEffort } from "../../contracts/models/model.js";

const count = (key: string, fallback: number, help: string, max = 64) =>
  configKey<number>({ key, kind: { type: "integer", min: 1, max }, default: fallback, help });

const text = (key: string, help: string, more: Pick<ConfigKey<string>, "secret" | "form"> = {}) =>
  configKey<string>({ key, kind: { type: "string" }, default: "", help, ...more });

/** Settings of delegated work (core part, 25.2). */
export const DELEGATION = {
  maxIterations: count("delegation.max_iterations", 50, "Model requests that one child may make.", 10_000),
  concurrent: count(
    "delegation.max_concurrent_children",
    3,
    "Children that one conversation may have at work at the same time.",
  ),
  background: count(
    "delegation.max_async_children",
    3,
    "Children that may work in the background of one conversation.",
  ),
  depth: count(
    "delegation.max_spawn_depth",
    1,
    "Generations of children: with 2 a child that is an orchestrator may send children of its own.",
    8,
  ),
  timeout: configKey<number>({
    key: "delegation.child_timeout_seconds",
    kind: { type: "integer", min: 0 },
    default: 0,
    help: "Seconds after which a child is stopped; 0 sets no limit.",
  }),
  orchestrators: configKey<boolean>({
    key: "delegation.orchestrator_enabled",
    kind: { type: "boolean" },
    default: true,
    help: "Let children with the role orchestrator send children of their own, as deep as delegation.max_spawn_depth allows.",
  }),
  approve: configKey<boolean>({
    key: "delegation.subagent_auto_approve",
    kind: { type: "boolean" },
    default: false,
    help: "Let children do what would be asked about; denied and always blocked calls stay so.",
  }),
  inheritMcp: configKey<boolean>({
    key: "delegation.inherit_mcp_toolsets",
    kind: { type: "boolean" },
    default: true,
    help: "Offer children the tools of MCP servers that their parent has.",
  }),
  model: text("delegation.model", "Model of children; empty: that of their parent."),
  provider: text("delegation.provider", "Provider of children; empty: that of their parent."),
  baseUrl: text("delegation.base_url", "Address of the provider of children; empty: as configured.", {
    form: "http_address",
  }),
  apiKey: text("delegation.api_key", "Key of the provider of children; empty: as configured.", { secret: true }),
  effort: configKey<ReasoningEffort | "">({
    key: "delegation.reasoning_effort",
    kind: { type: "choice", of: ["", ...REASONING_EFFORTS] },
    default: "",
    help: "How much children think before they answer; empty: as their parent.",
  }),
} as const;
