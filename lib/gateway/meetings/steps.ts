import type { MeetingStep, MeetingSummary, SummaryOutcome } from "../../proto/meetings.js";

/** What a job knows so far; all of it is stored after each step. */
export interface MeetingData {
  /** Path of the meeting behind `/v1.0/`. */
  readonly meeting?: string;
  readonly title?: string;
  readonly transcriptId?: string;
  readonly recordingId?: string;
  readonly transcript?: string;
  /** Where the recording lies. */
  readonly recording?: string;
  readonly summary?: MeetingSummary;
}

/** What the steps ask of others. What they throw is a failure that is tried again. */
export interface MeetingPorts {
  /** A thing of the graph as JSON; undefined: there is none. */
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
}

/** What a step leads to. */
export interface Stepped {
  readonly step: MeetingStep;
  readonly data: MeetingData;
}

/** It cannot be done, however often it is tried. */
export class Hopeless extends Error {
  override readonly name = "Hopeless";
}

const TRANSCRIPT_CHARS = 400_000;

/** Work the step in which a job is. Each ends before its outcome is stored, so one that was cut off is worked again. */
export async function work(step: MeetingStep, resource: string, data: MeetingData, { ports, signal }: Working): Promise<Stepped> {
  switch (step) {
    case "received":
      return { step: "resolving_meeting", data };
    case "resolving_meeting":
      return resolved(resource, { ports, signal });
    case "fetching_transcript":
      return transcript(data, { ports, signal });
    case "downloading_recording":
      return recording(data, { ports, signal });
    case "transcribing_audio": {
      const words = await ports.transcribe(data.recording ?? "", signal);
      return { step: "summarizing", data: { ...data, transcript: words.slice(0, TRANSCRIPT_CHARS) } };
    }
    case "summarizing": {
      const { title = "Meeting", meeting = resource } = data;
      const found = await ports.summarise({ title, transcript: data.transcript ?? "" }, signal);
      const { transcript: _, ...rest } = data;
      return { step: "sending", data: { ...rest, summary: { ...found, meeting, title } } };
    }
    case "sending":
      return sent(data, { ports, signal });
    case "completed":
      return { step, data };
  }
}

interface Working {
  readonly ports: MeetingPorts;
  readonly signal: AbortSignal;
}

/** `users('a')/onlineMeetings('m')/transcripts('t')` and the same with slashes. */
function partsOf(resource: string): Pick<MeetingData, "transcriptId" | "recordingId"> & { readonly meeting: string } {
  const path = resource.replace(/^\/+/, "").replace(/\('([^']*)'\)/g, (_, id: string) => `/${encodeURIComponent(id)}`);
  const found = /^(.*?)\/(transcripts|recordings)\/([^/?]+)$/.exec(path);
  if (found === null) return { meeting: path.replace(/\/(?:transcripts|recordings)\/?$/, "") };
  const [, meeting = "", kind, id = ""] = found;
  return kind === "transcripts" ? { meeting, transcriptId: id } : { meeting, recordingId: id };
}

async function resolved(resource: string, { ports, signal }: Working): Promise<Stepped> {
  const parts = partsOf(resource);
  if (parts.meeting === "" || parts.meeting.split("/").includes("..")) throw new Hopeless("the notification names no meeting");
  const found = await ports.get(parts.meeting, signal);
  const subject = typeof found === "object" && found !== null && "subject" in found ? found.subject : undefined;
  const title = typeof subject === "string" && subject.trim() !== "" ? subject.trim() : "Meeting";
  return { step: "fetching_transcript", data: { ...parts, title } };
}

/** The newest thing of a kind; undefined: there is none. */
async function newest(kind: string, { meeting = "" }: MeetingData, { ports, signal }: Working): Promise<string | undefined> {
  const found = await ports.get(`${meeting}/${kind}`, signal);
  const all = typeof found === "object" && found !== null && "value" in found && Array.isArray(found.value) ? found.value : [];
  const last: unknown = all.at(-1);
  return typeof last === "object" && last !== null && "id" in last && typeof last.id === "string" ? encodeURIComponent(last.id) : undefined;
}

/** A recording is only fetched where there is no transcript. */
async function transcript(data: MeetingData, working: Working): Promise<Stepped> {
  const id = data.transcriptId ?? (await newest("transcripts", data, working));
  if (id === undefined) return { step: "downloading_recording", data };
  const words = await working.ports.text(`${data.meeting}/transcripts/${id}/content?$format=text/vtt`, working.signal);
  return { step: "summarizing", data: { ...data, transcriptId: id, transcript: words.slice(0, TRANSCRIPT_CHARS) } };
}

async function recording(data: MeetingData, working: Working): Promise<Stepped> {
  const id = data.recordingId ?? (await newest("recordings", data, working));
  if (id === undefined) throw new Error("the meeting has neither a transcript nor a recording yet");
  const path = await working.ports.download(`${data.meeting}/recordings/${id}/content`, working.signal);
  return { step: "transcribing_audio", data: { ...data, recordingId: id, recording: path } };
}

async function sent(data: MeetingData, { ports, signal }: Working): Promise<Stepped> {
  if (data.summary === undefined) throw new Hopeless("there is no summary");
  const outcome = await ports.deliver(data.summary, signal);
  if (outcome.result === "unknown") throw new Hopeless(`nobody knows whether the summary arrived: ${outcome.error}`);
  if (outcome.result === "refused") throw new Error(outcome.error);
  return { step: "completed", data };
}
