import * as z from "zod";
import { systemClock } from "../../base/time/clock.js";
import { toIso } from "../../base/units.js";
import { cageLine } from "../../contracts/config/cage.js";
import type { McpServerStatus } from "../../contracts/mcp/mcp.js";
import type { ModelName } from "../../contracts/models/models-api.js";
import { APP_SERVER_COMMAND, VENDOR_RUNTIME } from "../../contracts/runtimes/keys.js";
import { VENDOR_PROVIDER } from "../../contracts/runtimes/switch.js";
import { entryData, summaryLine } from "../auth/text.js";
import { chatStatus } from "../conversation/chat-status.js";
import { conversationStatus } from "../conversation/status-lines.js";
import { type CommandContext, defineCommand } from "../define.js";
import { needsAttention } from "../mcp/text.js";

/** MCP servers in one line, and each that is not usable in one of its own. */
function mcpLines(servers: readonly McpServerStatus[]): readonly string[] {
  if (servers.length === 0) return [];
  const ready = servers.filter(({ state }) => state === "ready").length;
  const wrong = servers.filter(needsAttention);
  return [
    `mcp: ${servers.length} server${servers.length === 1 ? "" : "s"}, ${ready} connected`,
    ...wrong.map(
      ({ name, state, last_error }) => `mcp ${name}: ${state}${last_error === undefined ? "" : `: ${last_error}`}`,
    ),
  ];
}

export default defineCommand({
  path: "status",
  summary: "Show this conversation, model, logins, keys, owner and activity.",
  topic: "start",
  params: z.object({
    all: z.boolean().default(false).describe("include providers without a key or login"),
    deep: z.boolean().default(false).describe("also query the configured providers"),
  }),
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  run: async ({ all, deep }, ctx) => {
    if (ctx.origin !== undefined) return chatStatus(ctx, ctx.origin);
    const status = await ctx.owner.status();
    const running = status.kind === "long";
    const { providers, problems, ...others } = await ctx.auth.list();
    const now = systemClock.now();
    const talk = ctx.session === undefined ? undefined : await conversationStatus(ctx.session, ctx);
    const { primary, entries: fallback } = await ctx.models.chain();
    const absent = all ? others.absent : [];
    const answers = deep ? await ctx.models.offered(true) : [];
    const lines = [
      ...(talk?.lines ?? []),
      `model: ${modelText(primary)}`,
      ...runtimeLines(ctx, primary.provider),
      ...(fallback.length === 0 ? [] : [`fallback: ${fallback.map(modelText).join(" → ")}`]),
      running
        ? `owner: pid ${status.pid}, version ${status.version}, ${Math.round(status.uptime_ms / 1000)} s${status.only_listens ? ", for a listener only" : ""}${status.safe_mode ? ", in safe mode" : ""}`
        : "owner: none (agent, or agent --headless, starts one)",
      `home: ${status.home}`,
      `dispatcher: ${status.dispatching ? "running" : "off"}`,
      `clients: ${status.clients}, open turns: ${status.open_turns}, workers: ${status.running_workers}`,
      ...(status.cage === undefined ? [] : [cageLine(status.cage)]),
      `memory: ${Math.round(status.memory_bytes / 1e6)} MB`,
      ...status.stores.map(
        ({ name, ok, detail }) => `store ${name}: ${ok ? "ok" : "failed"}${detail === "" ? "" : ` (${detail})`}`,
      ),
      ...status.listeners.map(({ kind, url }) => `listener ${kind}: ${url}`),
      ...mcpLines(ctx.mcp.list()),
      ...providers.map((one) => `login ${summaryLine(one, now)}`),
      ...absent.map((provider) => `login ${provider}: no key or login`),
      ...answers.map(
        ({ provider, models, problem }) => `queried ${provider}: ${problem ?? `ok, ${models.length} models`}`,
      ),
      ...[...status.problems, ...problems].map((problem) => `problem: ${problem}`),
    ];
    const logins = providers.map((one) => ({ ...one, entries: one.entries.map(entryData) }));
    return {
      text: lines.join("\n"),
      data: {
        running,
        ...status,
        started_at: toIso(status.started_at),
        model: primary,
        fallback,
        logins,
        ...(all ? { absent } : {}),
        ...(deep ? { answers } : {}),
        ...(talk ? { session: talk.data } : {}),
      },
    };
  },
});

/** Nothing is said where the agent works all turns itself. */
function runtimeLines({ config }: CommandContext, provider: string): readonly string[] {
  if (config.get(VENDOR_RUNTIME) === undefined) return [];
  const used = provider === VENDOR_PROVIDER ? "" : `, not used: the provider is ${provider}`;
  return [`vendor runtime: app-server (${config.get(APP_SERVER_COMMAND)})${used}`];
}

/** Without a provider the first one that is found serves. */
const modelText = ({ provider, model }: ModelName): string =>
  provider === "auto" && model === ""
    ? "first available (agent setup model sets one)"
    : `${model === "" ? "its default" : model} via ${provider}`;
