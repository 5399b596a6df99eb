import { createHash } from "node:crypto";
import type { MeetingSummary, SummaryOutcome } from "../../../lib/contracts/gateway/meetings.js";
import { toReceipt } from "../../../lib/gateway/adapter/send-outcome.js";
import type { Refusal } from "../common/http.js";
import { type Graph, type TryDeps, tried } from "./graph.js";
import type { Sink } from "./settings.js";
import { summaryCard, summaryHtml, summaryMarkdown } from "./words.js";

/** What is kept of summaries that went to a sink. */
export interface SummaryRecords {
  state(meeting: string, sink: string): Promise<"sending" | "sent" | undefined>;
  /** Say in one commit that it is about to go there. @returns what was known before; only undefined allows to send */
  claim(meeting: string, sink: string): Promise<"sending" | "sent" | undefined>;
  /** Undefined: it certainly did not go. */
  note(meeting: string, sink: string, state: "sending" | "sent" | undefined): Promise<void>;
}

export interface SummaryDeps extends TryDeps {
  /** Read at every delivery. @throws E_CONFIG */
  readonly sink: () => Sink;
  readonly graph: Pick<Graph, "call">;
  readonly records: SummaryRecords;
}

/** Delivers summaries: a meeting once to each sink, unless it is asked for again. */
export interface SummaryDelivery {
  /** @throws E_CONFIG */
  deliver(
    summary: MeetingSummary,
    how: { readonly forceResend?: boolean; readonly signal: AbortSignal },
  ): Promise<SummaryOutcome>;
  /** The summary of a meeting went where summaries go now. @throws E_CONFIG */
  delivered(meeting: string): Promise<boolean>;
}

const LOST = "an earlier delivery was cut off; it may have arrived";

export function createSummaryDelivery(deps: SummaryDeps): SummaryDelivery {
  const { records } = deps;
  return {
    delivered: async (meeting) => {
      const sink = deps.sink();
      return sink.to !== "off" && (await records.state(meeting, nameOf(sink))) === "sent";
    },
    deliver: async (summary, { forceResend = false, signal }) => {
      const sink = deps.sink();
      if (sink.to === "off") return { result: "off" };
      const name = nameOf(sink);
      if (forceResend) await records.note(summary.meeting, name, undefined);
      const before = await records.claim(summary.meeting, name);
      if (before === "sent") return { result: "already" };
      if (before === "sending") return { result: "unknown", error: LOST };
      const seen = await post(deps, sink, { summary, signal });
      const receipt = seen === undefined ? undefined : toReceipt(seen);
      if (receipt === undefined || receipt.result === "sent") {
        await records.note(summary.meeting, name, "sent");
        return { result: "sent" };
      }
      if (receipt.result === "refused") await records.note(summary.meeting, name, undefined);
      return { result: receipt.result, error: receipt.error };
    },
  };
}

/** The address of a webhook is a secret: what is kept is its hash. */
function nameOf(sink: Exclude<Sink, { readonly to: "off" }>): string {
  if (sink.to === "graph") return `graph:${sink.path}`;
  return `webhook:${createHash("sha256").update(sink.url.reveal()).digest("hex").slice(0, 16)}`;
}

interface Posting {
  readonly summary: MeetingSummary;
  readonly signal: AbortSignal;
}

/** Undefined: it was taken. */
async function post(
  deps: SummaryDeps,
  sink: Exclude<Sink, { readonly to: "off" }>,
  { summary, signal }: Posting,
): Promise<Refusal | undefined> {
  if (sink.to === "graph") {
    const json = { body: { contentType: "html", content: summaryHtml(summary) } };
    const answer = await deps.graph.call({ method: "POST", path: sink.path, json }, signal);
    return answer.ok ? undefined : answer.seen;
  }
  const json = sink.cards
    ? { type: "message", attachments: [summaryCard(summary)] }
    : { text: summaryMarkdown(summary) };
  const seen = await tried(deps, { method: "POST", url: sink.url.reveal(), json, signal });
  if (!seen.got) return { ...seen.seen, error: "the incoming webhook could not be reached" };
  if (seen.status < 300) return undefined;
  const error = `the incoming webhook answered ${seen.status}`;
  return { saw: "answer", status: seen.status, ownFormat: seen.status < 500, error };
}
