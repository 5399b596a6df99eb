import * as z from "zod";
import { systemClock } from "../../base/time/clock.js";
import { toIso } from "../../base/units.js";
import { cageLine } from "../../contracts/config/cage.js";
import type { ModelName } from "../../contracts/models/models-api.js";
import { entryData, summaryLine } from "../auth/text.js";
import { chatStatus } from "../conversation/chat-status.js";
import { conversationStatus } from "../conversation/status-lines.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "status",
  summary: "Show this conversation, the model, logins and keys, who owns this home, and what it is doing.",
  topic: "start",
  params: z.object({
    all: z.boolean().default(false).describe("also the providers without a key or login"),
    deep: z.boolean().default(false).describe("also ask the configured providers whether they answer"),
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
      ...(fallback.length === 0 ? [] : [`fallback: ${fallback.map(modelText).join(" → ")}`]),
      running
        ? `owner: pid ${status.pid}, version ${status.version}, ${Math.round(status.uptime_ms / 1000)} s${status.only_listens ? ", for a listener only" : ""}`
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
      ...providers.map((one) => `login ${summaryLine(one, now)}`),
      ...absent.map((provider) => `login ${provider}: no key and no login`),
      ...answers.map(
        ({ provider, models, problem }) => `asked ${provider}: ${problem ?? `answers, ${models.length} models`}`,
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

/** Without a provider the first one that is found serves. */
const modelText = ({ provider, model }: ModelName): string =>
  provider === "auto" && model === ""
    ? "the first that is found (agent setup model sets one)"
    : `${model === "" ? "its default" : model} via ${provider}`;
