import { shortTokens } from "../../contracts/chat/compaction-lines.js";
import type { ContextPart, ContextReport, CostReport, CostSum, InsightsReport } from "../../contracts/chat/usage.js";

/** Estimates begin with `~`. */
const about = (tokens: number): string => `~${shortTokens(tokens)}`;
const percent = (share: number): string => `${Math.round(share * 100)} %`;

/** What fills the next request, by part. */
export function contextText(report: ContextReport): string {
  const { window, trigger, total, exact } = report;
  const used = exact ? shortTokens(total) : about(total);
  return [
    `${report.model} (${report.provider}): ${used} of ${shortTokens(window)} tokens, ${report.percent} %; ${about(report.free)} free`,
    triggerLine(report, trigger),
    "",
    ...groupLines(
      "system prompt",
      report.parts.filter(({ group }) => group === "system"),
    ),
    ...groupLines(
      "tool schemas",
      report.parts.filter(({ group }) => group === "tools"),
    ),
    ...groupLines(
      "messages",
      report.parts.filter(({ group }) => group === "messages"),
    ),
    "",
    lastLine(report.last_request),
    ...largestLines(report),
    outlookLine(report.compaction),
  ].join("\n");
}

function triggerLine({ automatic, compactions }: ContextReport, trigger: number): string {
  const before = compactions === 0 ? "" : `, compacted ${compactions === 1 ? "once" : `${compactions} times`} so far`;
  if (automatic === "off") return `Compaction is off (compression.enabled)${before}`;
  if (automatic === "stopped") return `Automatic compaction stopped: it saved too little${before}`;
  return `Compaction at ${shortTokens(trigger)} tokens${automatic === "late" ? " (later than usual, after an undo)" : ""}${before}`;
}

function groupLines(title: string, parts: readonly ContextPart[]): readonly string[] {
  if (parts.length === 0) return [];
  const sum = parts.reduce((all, { tokens }) => all + tokens, 0);
  return [
    `${about(sum).padStart(8)}  ${title}`,
    ...parts.map(({ name, tokens }) => `${about(tokens).padStart(8)}    ${name}`),
  ];
}

function lastLine(last: ContextReport["last_request"]): string {
  if (last === null) return "No request yet.";
  const { fresh, cached_read: read, cached_write: written, reasoning, output } = last;
  const kinds = [
    `${fresh} fresh`,
    `${read} cached`,
    ...(written > 0 ? [`${written} written to the cache`] : []),
    `${output} answered`,
    ...(reasoning > 0 ? [`${reasoning} of them reasoning`] : []),
  ];
  return `Last request: ${kinds.join(", ")}; ${percent(last.cache_share)} of the prompt came from the cache`;
}

function largestLines({ largest }: ContextReport): readonly string[] {
  if (largest.length === 0) return [];
  const shown = largest.map(({ id, role, tool, tokens }) => `${id} (${tool ?? role}, ${about(tokens)})`);
  return [`Largest messages: ${shown.join(", ")}`];
}

const outlookLine = (plan: ContextReport["compaction"]): string =>
  plan === null
    ? "Compaction would not remove anything yet."
    : `Compaction would keep the first ${plan.first} and the last ${plan.last} messages and summarize ${plan.summarised}.`;

/** `unknown` without a price, never 0. */
export function priceText({ cost_usd: cost, cost_status: status }: CostSum): string {
  if (cost === null) return "unknown";
  const shown = `$${cost.toFixed(cost < 1 ? 4 : 2)}`;
  if (status === "estimated") return `about ${shown}`;
  return status === "partial" ? `at least ${shown}` : shown;
}

function sumLine(name: string, sum: CostSum): string {
  const { input_tokens: fresh, cache_read_tokens: cached, cache_write_tokens: written, output_tokens: output } = sum;
  const tokens = [fresh, cached, written, output].map((count) => shortTokens(count).padStart(10)).join("");
  return `${String(sum.requests).padStart(8)}${tokens}${priceText(sum).padStart(20)}  ${name}`;
}

const HEAD = `${"requests".padStart(8)}${["fresh", "cached", "written", "answered"].map((word) => word.padStart(10)).join("")}${"price".padStart(20)}`;

const section = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : ["", title, ...lines];

/** Requests, tokens by kind and price, in total and by what they were for. */
export function costText(report: CostReport): string {
  if (report.total.requests === 0) return "No requests in this period.";
  return [
    HEAD,
    sumLine("in total", report.total),
    ...section(
      "by model",
      report.by_model.map((row) => sumLine(`${row.model} (${row.provider})`, row)),
    ),
    ...section(
      "side work",
      report.by_slot.map((row) => sumLine(row.slot, row)),
    ),
    ...section(
      "children",
      report.by_child.map((row) => sumLine(row.title ?? row.session_id, row)),
    ),
    ...section(
      "by turn",
      report.turns.map((row) => sumLine(row.turn_id ?? "outside of turns", row)),
    ),
    ...section(
      "results of tools",
      report.by_tool_result.map(
        ({ tool, calls, tokens }) => `${String(calls).padStart(8)}${about(tokens).padStart(8)}  ${tool}`,
      ),
    ),
  ].join("\n");
}

/** Use over time. */
export function insightsText(report: InsightsReport): string {
  if (report.total.requests === 0) return `No requests in the last ${report.days} days.`;
  return [
    `The last ${report.days} days: ${report.sessions} ${report.sessions === 1 ? "conversation" : "conversations"}`,
    "",
    HEAD,
    sumLine("in total", report.total),
    ...section(
      "by day",
      report.by_day.map((row) => sumLine(row.day, row)),
    ),
    ...section(
      "by model",
      report.by_model.map((row) => sumLine(`${row.model} (${row.provider})`, row)),
    ),
    ...section(
      "side work",
      report.by_slot.map((row) => sumLine(row.slot, row)),
    ),
    ...section(
      "tools",
      report.by_tool.map(
        ({ tool, calls, errors, tokens }) =>
          `${String(calls).padStart(8)}${String(errors).padStart(8)}${about(tokens).padStart(8)}  ${tool}`,
      ),
    ),
  ].join("\n");
}
