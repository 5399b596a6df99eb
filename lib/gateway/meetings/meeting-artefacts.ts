import * as z from "zod";
import type { MeetingData, MeetingStepContext } from "./meeting-ports.js";

/** What a meeting left behind. */
export type Artefacts = "transcripts" | "recordings";

interface Artefact {
  /** As a part of a path. */
  readonly id: string;
  /** The call that it is of: a meeting that repeats has one for each time. */
  readonly callId: string | undefined;
  readonly made: string;
}

const Shape = z.object({
  id: z.string().regex(/[^.]/),
  callId: z.string().nullish().catch(undefined),
  createdDateTime: z.string().nullish().catch(undefined),
});
const Page = z.object({
  value: z.array(z.unknown()).catch([]),
  "@odata.nextLink": z.string().optional().catch(undefined),
});
const PAGES = 10;

const artefactOf = (thing: unknown): Artefact | undefined => {
  const { id, callId, createdDateTime } = Shape.safeParse(thing).data ?? {};
  return id === undefined
    ? undefined
    : { id: encodeURIComponent(id), callId: callId ?? undefined, made: createdDateTime ?? "" };
};

/** The newest of a kind, of the call that the job is about where that is known; undefined without one. */
export async function pickNewestArtefact(
  kind: Artefacts,
  { meeting = "", callId }: MeetingData,
  working: MeetingStepContext,
): Promise<Artefact | undefined> {
  const found: Artefact[] = [];
  let path: string | undefined = `${meeting}/${kind}`;
  for (let page = 0; path !== undefined && page < PAGES; page++) {
    const read: z.infer<typeof Page> | undefined = Page.safeParse(await working.ports.get(path, working.signal)).data;
    found.push(...(read?.value ?? []).flatMap((one) => artefactOf(one) ?? []));
    path = read?.["@odata.nextLink"];
  }
  const fit = found.filter((one) => callId === undefined || one.callId === undefined || one.callId === callId);
  return fit.reduce<Artefact | undefined>(
    (last, one) => (last === undefined || one.made >= last.made ? one : last),
    undefined,
  );
}

/** The call that an artefact is of; undefined where the graph does not say. */
export async function callOf(path: string, { ports, signal }: MeetingStepContext): Promise<string | undefined> {
  return artefactOf(await ports.get(path, signal))?.callId;
}
