import type { MeetingSummary, SummaryOutcome } from "../../contracts/gateway/meetings.js";

/** What a job knows so far; all of it is stored after each step. */
export interface MeetingData {
  /** Path of the meeting behind `/v1.0/`. */
  readonly meeting?: string;
  readonly title?: string;
  /** As the graph names the meeting itself, whatever path leads to it. */
  readonly meetingId?: string;
  /** The call that it is about: one time of a meeting that repeats. */
  readonly callId?: string;
  /** Its summary is delivered once more, although it was delivered before. */
  readonly force?: boolean;
  readonly transcriptId?: string;
  readonly recordingId?: string;
  readonly transcript?: string;
  /** Where the recording lies. */
  readonly recording?: string;
  readonly summary?: MeetingSummary;
}

/** What the steps ask of others. What they throw is a failure that is tried again. */
export interface MeetingPorts {
  /** A thing of the graph as JSON; undefined: it does not exist. */
  readonly get: (path: string, signal: AbortSignal) => Promise<unknown>;
  readonly text: (path: string, signal: AbortSignal) => Promise<string>;
  /** Fetch a recording. @returns its path */
  readonly download: (path: string, signal: AbortSignal) => Promise<string>;
  readonly transcribe: (path: string, signal: AbortSignal) => Promise<string>;
  readonly summarise: (
    of: { readonly title: string; readonly transcript: string },
    signal: AbortSignal,
  ) => Promise<Omit<MeetingSummary, "meeting" | "title">>;
  readonly deliver: (summary: MeetingSummary, signal: AbortSignal) => Promise<SummaryOutcome>;
  /** Its summary went where summaries go. */
  readonly delivered: (meeting: string) => Promise<boolean>;
}

/** What the steps work with. */
export interface MeetingStepContext {
  readonly ports: MeetingPorts;
  readonly signal: AbortSignal;
}
