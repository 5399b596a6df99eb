/** Meetings as commands use them (gateway part, 16.6.5). Instants are ISO 8601. */
import type { MeetingState, MeetingStep, MeetingSummary } from "./meetings.js";

/** A job as it is shown. */
export interface ShownMeeting {
  readonly id: string;
  readonly state: MeetingState;
  /** The step that it is in, or was in when it failed. */
  readonly step: MeetingStep;
  readonly title: string | null;
  readonly resource: string;
  readonly subscription_id: string;
  readonly attempts: number;
  /** When it goes on by itself; null: it does not. */
  readonly next_at: string | null;
  readonly error: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface ShownMeetingDetail extends ShownMeeting {
  /** Names the meeting to the sinks of summaries; null: not known yet. */
  readonly meeting: string | null;
  readonly transcript_id: string | null;
  readonly recording_id: string | null;
  readonly summary: MeetingSummary | null;
}

export interface ShownSubscription {
  readonly id: string;
  readonly resource: string;
  readonly change_type: string;
  readonly notification_url: string;
  readonly expires_at: string;
  readonly state: "active" | "removed" | "failing";
  /** Whether the graph has it; null: it could not be asked. */
  readonly at_graph: boolean | null;
  /** Whether this home keeps it alive. */
  readonly kept: boolean;
  readonly error: string | null;
}

export interface Subscriptions {
  readonly subscriptions: readonly ShownSubscription[];
  /** Why the graph could not be asked. */
  readonly problem: string | null;
}

export interface WantedSubscription {
  readonly resource: string;
  readonly change_type: string;
  /** Default: `MSGRAPH_WEBHOOK_PUBLIC_URL` with the path of the listener. */
  readonly notification_url?: string | undefined;
  readonly hours: number;
}

/** What was done about a subscription. */
export interface KeptSubscription {
  readonly id: string;
  readonly resource: string;
  readonly action: "kept" | "renewed" | "created" | "failed";
  readonly expires_at: string;
  readonly error: string | null;
}

export interface TokenHealth {
  readonly ok: boolean;
  /** Where the token comes from. */
  readonly source: "MSGW_GRAPH_ACCESS_TOKEN" | "client_credentials" | "none";
  /** What the token itself says, where it can be read. */
  readonly expires_at: string | null;
  readonly roles: readonly string[];
  readonly error: string | null;
}

export interface MeetingCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly message: string;
}

export interface MeetingsApi {
  /** Newest first. */
  meetings(): Promise<readonly ShownMeeting[]>;
  /** @throws E_NOT_FOUND */
  meeting(id: string): Promise<ShownMeetingDetail>;
  /** Work on a job now, and wait for its end or its next failure. `force`: from its beginning, and deliver its summary once more. @throws E_NOT_FOUND */
  runMeeting(id: string, how: { readonly force: boolean; readonly signal: AbortSignal }): Promise<ShownMeetingDetail>;
  /** Make a job for a meeting without a notification, and work on it. @throws E_INVALID for what does not name a meeting */
  fetchMeeting(
    meeting: string,
    how: { readonly force: boolean; readonly signal: AbortSignal },
  ): Promise<ShownMeetingDetail>;
  subscriptions(signal: AbortSignal): Promise<Subscriptions>;
  /** @throws E_CONFIG, E_INVALID with what the graph said */
  subscribeMeetings(wanted: WantedSubscription, signal: AbortSignal): Promise<ShownSubscription>;
  /** Let it last 24 h longer. @throws E_NOT_FOUND, E_INVALID */
  renewSubscription(id: string, signal: AbortSignal): Promise<KeptSubscription>;
  /** @throws E_NOT_FOUND, E_INVALID */
  deleteSubscription(id: string, signal: AbortSignal): Promise<{ readonly id: string }>;
  /** Renew what ends within 24 h, and create again what the graph dropped. */
  maintainSubscriptions(signal: AbortSignal): Promise<readonly KeptSubscription[]>;
  tokenHealth(signal: AbortSignal): Promise<TokenHealth>;
  /** Look at the settings; no request is made. */
  validateMeetings(): Promise<readonly MeetingCheck[]>;
}
