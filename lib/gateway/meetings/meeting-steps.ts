import * as z from "zod";
import type { MeetingStep } from "../../contracts/gateway/meetings.js";
import { callOf, pickNewestArtefact } from "./meeting-artefacts.js";
import type { MeetingData, MeetingStepContext } from "./meeting-ports.js";

/** What a step leads to. */
export interface Stepped {
  readonly step: MeetingStep;
  readonly data: MeetingData;
  /** Where the summary of this meeting went is forgotten in the same commit. */
  readonly forget?: string;
}

/** It cannot be done, however often it is tried. */
export class Hopeless extends Error {
  override readonly name = "Hopeless";
}

const TRANSCRIPT_CHARS = 400_000;

/** Work the step in which a job is. Each ends before its outcome is stored, so one that was cut off is worked again. */
export async function workMeetingStep(
  step: MeetingStep,
  resource: string,
  data: MeetingData,
  { ports, signal }: MeetingStepContext,
): Promise<Stepped> {
  switch (step) {
    case "received":
      return { step: "resolving_meeting", data };
    case "resolving_meeting":
      return resolved(resource, data.force === true, { ports, signal });
    case "fetching_transcript":
      return transcript(data, { ports, signal });
    case "downloading_recording":
      return recording(data, { ports, signal });
    case "transcribing_audio": {
      const words = await ports.transcribe(data.recording ?? "", signal);
      return { step: "summarizing", data: { ...data, transcript: words.slice(0, TRANSCRIPT_CHARS) } };
    }
    case "summarizing":
      return summarised(resource, data, { ports, signal });
    case "sending":
      return sent(data, { ports, signal });
    case "completed":
      return { step, data };
  }
}

/** What a summary is known by: the meeting, and of one that repeats the time. */
function nameOf({ meetingId, meeting = "", callId }: MeetingData, resource: string): string {
  const whole = meetingId ?? (meeting || resource);
  return callId === undefined ? whole : `${whole}#${callId}`;
}

async function summarised(
  resource: string,
  data: MeetingData,
  { ports, signal }: MeetingStepContext,
): Promise<Stepped> {
  const { transcript: words = "", force = false, ...rest } = data;
  const { title = "Meeting" } = rest;
  const meeting = nameOf(data, resource);
  // Its transcript and its recording are two notifications of one meeting.
  if (!force && (await ports.delivered(meeting))) return { step: "completed", data: rest };
  if (words.trim() === "") throw new Error("the transcript is empty");
  const found = await ports.summarise({ title, transcript: words }, signal);
  return {
    step: "sending",
    data: { ...rest, summary: { ...found, meeting, title } },
    ...(force ? { forget: meeting } : {}),
  };
}

/** `users('a')/onlineMeetings('m')/transcripts('t')` and the same with slashes. */
function partsOf(resource: string): Pick<MeetingData, "transcriptId" | "recordingId"> & { readonly meeting: string } {
  const path = resource.replace(/^\/+/, "").replace(/\('([^']*)'\)/g, (_, id: string) => `/${encodeURIComponent(id)}`);
  const found = /^(.*?)\/(transcripts|recordings)\/([^/?]+)$/.exec(path);
  if (found === null) return { meeting: path.replace(/\/(?:transcripts|recordings)\/?$/, "") };
  const [, meeting = "", kind, id = ""] = found;
  return kind === "transcripts" ? { meeting, transcriptId: id } : { meeting, recordingId: id };
}

async function resolved(resource: string, force: boolean, working: MeetingStepContext): Promise<Stepped> {
  const parts = partsOf(resource);
  const artefact = parts.transcriptId ?? parts.recordingId;
  if (!isPlain(artefact === undefined ? parts.meeting : pathOf(parts)))
    throw new Hopeless("the notification does not name a meeting");
  const { subject, id } = Meeting.safeParse(await working.ports.get(parts.meeting, working.signal)).data ?? {};
  const callId = artefact === undefined ? undefined : await callOf(pathOf(parts), working);
  const known = { ...(id === undefined ? {} : { meetingId: id }), ...(callId === undefined ? {} : { callId }) };
  const data = { ...parts, ...known, title: subject?.trim() || "Meeting", ...(force ? { force } : {}) };
  return { step: "fetching_transcript", data };
}

const Meeting = z.object({
  subject: z.string().nullish().catch(undefined),
  id: z.string().min(1).optional().catch(undefined),
});

/** A path below the graph that leads nowhere else. */
export const isPlain = (path: string): boolean =>
  path !== "" && !/[?#\\\s]/.test(path) && !path.split("/").some((part) => /^(?:\.|%2e)*$/i.test(part));

const pathOf = ({ meeting, transcriptId, recordingId }: ReturnType<typeof partsOf>): string =>
  transcriptId === undefined ? `${meeting}/recordings/${recordingId}` : `${meeting}/transcripts/${transcriptId}`;

/** A recording is only fetched without a transcript. */
async function transcript(data: MeetingData, working: MeetingStepContext): Promise<Stepped> {
  const found = data.transcriptId === undefined ? await pickNewestArtefact("transcripts", data, working) : undefined;
  const id = data.transcriptId ?? found?.id;
  if (id === undefined) return { step: "downloading_recording", data };
  const words = await working.ports.text(`${data.meeting}/transcripts/${id}/content?$format=text/vtt`, working.signal);
  const call = data.callId ?? found?.callId;
  const known = { ...data, transcriptId: id, transcript: words.slice(0, TRANSCRIPT_CHARS) };
  return { step: "summarizing", data: call === undefined ? known : { ...known, callId: call } };
}

async function recording(data: MeetingData, working: MeetingStepContext): Promise<Stepped> {
  const found = data.recordingId === undefined ? await pickNewestArtefact("recordings", data, working) : undefined;
  const id = data.recordingId ?? found?.id;
  if (id === undefined) throw new Error("the meeting has neither a transcript nor a recording yet");
  const path = await working.ports.download(`${data.meeting}/recordings/${id}/content`, working.signal);
  const call = data.callId ?? found?.callId;
  const known = { ...data, recordingId: id, recording: path };
  return { step: "transcribing_audio", data: call === undefined ? known : { ...known, callId: call } };
}

async function sent(data: MeetingData, { ports, signal }: MeetingStepContext): Promise<Stepped> {
  if (data.summary === undefined) throw new Hopeless("no summary");
  const outcome = await ports.deliver(data.summary, signal);
  if (outcome.result === "unknown") throw new Hopeless(`delivery of the summary is unknown: ${outcome.error}`);
  if (outcome.result === "refused") throw new Error(outcome.error);
  return { step: "completed", data };
}
