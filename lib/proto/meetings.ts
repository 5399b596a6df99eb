/** Meetings whose artefacts are summarised (gateway part, 16.6.4 and 16.6.5). */
import type { EpochMs } from "../base/units.js";

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
export const MEETING_STEPS = [
  ...["received", "resolving_meeting", "fetching_transcript", "downloading_recording", "transcribing_audio", "summarizing", "sending"],
  "completed",
] as const;
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

/** What became of a summary at its sink. `unknown`: it may have arrived, and is not sent again unless asked for. */
export type SummaryOutcome =
  | { readonly result: "sent" | "already" | "off" }
  | { readonly result: "refused" | "unknown"; readonly error: string };
