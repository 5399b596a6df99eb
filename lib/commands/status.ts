import * as z from "zod";
import { systemClock } from "../base/clock.js";
import { toIso } from "../base/units.js";
import { cageLine } from "../proto/cage.js";
import { entryData, summaryLine } from "./auth/show.js";
import { defineCommand } from "./define.js";
import { chatStatus } from "./session/chat-status.js";
import { conversationStatus } from "./session/status-lines.js";

export default defineCommand({
  path: "status",
  summary: "Show this conversation, who owns this home, and what it is doing.",
  topic: "start",
  params: z.object({}),
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  run: async (_params, ctx) => {
    if (ctx.origin !== undefined) return chatStatus(ctx, ctx.origin);
    const status = await ctx.owner.status();
    const running = status.kind === "long";
    const { providers, problems } = await ctx.auth.list();
    const now = systemClock.now();
    const talk = ctx.session === undefined ? undefined : await conversationStatus(ctx.session, ctx);
    const lines = [
      ...(talk?.lines ?? []),
      running
        ? `owner: pid ${status.pid}, version ${status.version}, ${Math.round(status.uptime_ms / 1000)} s${status.only_listens ? ", for a listener only" : ""}`
        : "owner: none (agent, or agent --headless, starts one)",
      `home: ${status.home}`,
      `dispatcher: ${status.dispatching ? "running" : "off"}`,
      `clients: ${status.clients}, open turns: ${status.open_turns}, workers: ${status.running_workers}`,
      ...(status.cage === undefined ? [] : [cageLine(status.cage)]),
      `memory: ${Math.round(status.memory_bytes / 1e6)} MB`,
      ...status.stores.map(({ name, ok, detail }) => `store ${name}: ${ok ? "ok" : "failed"}${detail === "" ? "" : ` (${detail})`}`),
      ...status.listeners.map(({ kind, url }) => `listener ${kind}: ${url}`),
      ...providers.map((one) => `login ${summaryLine(one, now)}`),
      ...[...status.problems, ...problems].map((problem) => `problem: ${problem}`),
    ];
    const logins = providers.map((one) => ({ ...one, entries: one.entries.map(entryData) }));
    return {
      text: lines.join("\n"),
      data: { running, ...status, started_at: toIso(status.started_at), logins, ...(talk ? { session: talk.data } : {}) },
    };
  },
});
