/** Meetings whose artefacts are summarised (gateway part, 16.6.4 and 16.6.5). */
import type { EpochMs } from "../../base/units.js";

export interface MeetingSummary {
  /** Names the meeting: a summary of it is delivered once to each sink. */
  readonly meeting: string;
  readonly title: string;
  readonly summary: string;
  readonly decisions: readonly string[];
  readonly actions: readonly string[];
  readonly risks: readonly string[];
}

/** The steps of a job, in order. What is between the first and `completed` is done in a state that bears its name. */
export type MeetingStep =
  | "received"
  | "resolving_meeting"
  | "fetching_transcript"
  | "downloading_recording"
  | "transcribing_audio"
  | "summarizing"
  | "sending"
  | "completed";
export type MeetingState = MeetingStep | "retry_scheduled" | "failed";

/** A row of the jobs. Instants are milliseconds. */
export interface MeetingJob {
  readonly id: string;
  /** Key of the notification that it came by: the same notification makes one job. */
  readonly event_id: string;
  readonly subscription_id: string;
  readonly resource: string;
  readonly change_type: string;
  readonly state: MeetingState;
  /** The step to go on with, also after a failure or a restart. */
  readonly step: MeetingStep;
  readonly attempts: number;
  readonly next_at: EpochMs;
  /** JSON of what the steps found so far. */
  readonly data: string;
  readonly error: string | null;
  readonly created_at: EpochMs;
  readonly updated_at: EpochMs;
}

/** A subscription of this home: the graph tells of changes of `resource` as long as it lasts. Instants are milliseconds. */
export interface MeetingSubscription {
  /** Its id in the graph; it changes when the subscription is created again. */
  readonly id: string;
  readonly resource: string;
  readonly change_type: string;
  readonly notification_url: string;
  readonly expires_at: EpochMs;
  /** `removed`: the graph no longer has it, and it will be created again. `failing`: the last renewal failed. */
  readonly state: "active" | "removed" | "failing";
  /** It is to be looked at before it runs out: the graph said so. */
  readonly due: number;
  readonly error: string | null;
  readonly created_at: EpochMs;
  readonly updated_at: EpochMs;
}

/** The graph lets no subscription to transcripts and recordings last longer. */
export const LONGEST_HOURS = 70;

/** What the graph says of a subscription. */
export interface GraphSubscription {
  readonly id: string;
  readonly resource: string;
  readonly changeType: string;
  readonly url: string;
  readonly expiresAt: EpochMs;
}

/** The graph as far as subscriptions go. What is thrown says why it was not done. */
export interface SubscriptionPorts {
  readonly create: (wanted: Omit<GraphSubscription, "id">, signal: AbortSignal) => Promise<GraphSubscription>;
  /** `gone`: the graph has it no longer. */
  readonly renew: (id: string, until: EpochMs, signal: AbortSignal) => Promise<EpochMs | "gone">;
  readonly remove: (id: string, signal: AbortSignal) => Promise<"removed" | "gone">;
  readonly all: (signal: AbortSignal) => Promise<readonly GraphSubscription[]>;
}

/** What became of a summary at its sink. `unknown`: it may have arrived, and is not sent again unless asked for. */
export type SummaryOutcome =
  | { readonly result: "sent" | "already" | "off" }
  | { readonly result: "refused" | "unknown"; readonly error: string };
