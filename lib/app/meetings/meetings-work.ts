import { join } from "node:path";
import { createGraph, type Graph } from "../../../adapters/platforms/msgraph/graph.js";
import {
  type GraphSources,
  graphSources,
  readGraphSettings,
  readSink,
} from "../../../adapters/platforms/msgraph/settings.js";
import { graphSubscriptions } from "../../../adapters/platforms/msgraph/subscriptions.js";
import { createSummaryDelivery, type SummaryDelivery } from "../../../adapters/platforms/msgraph/summary.js";
import type { Store } from "../../../storage/store.js";
import { claimSummary, noteSummary, summaryState } from "../../../storage/tables/gateway/meetings.js";
import { makeDirectory, openNew, removeFile } from "../../base/fs/files.js";
import type { NetResponse } from "../../base/net/net.js";
import { GRAPH_ORIGIN } from "../../contracts/board/platform-tag.js";
import { transcriberOf } from "../../gateway/media/transcriber.js";
import { readListenSettings } from "../../gateway/meetings/listen-settings.js";
import type { MeetingPorts } from "../../gateway/meetings/meeting-ports.js";
import { createSubscriptions, type MeetingSubscriptions } from "../../gateway/meetings/meeting-subscriptions.js";
import { createMeetings, type Meetings } from "../../gateway/meetings/meetings.js";
import { platformSettings, settingsSource } from "../../gateway/settings/platform-settings.js";
import type { OwnerServices } from "../../rpc/commands/owner-services.js";
import { summariser } from "./meetings-summary.js";

export type MeetingApp = Pick<OwnerServices, "options" | "models">;

/** Work on meetings in a process: its gateway and its commands share it, so that no job is worked on twice at once. */
export interface MeetingWork {
  readonly meetings: Meetings;
  readonly subscriptions: MeetingSubscriptions;
  /** As the settings are now. @throws E_CONFIG */
  graph(): Graph;
}

const known = new WeakMap<Store, MeetingWork>();

/** That of the store, made at its first use. No requests are sent before. */
export function meetingWork(app: MeetingApp, store: Store): MeetingWork {
  const before = known.get(store);
  if (before !== undefined) return before;
  const { clock, ids } = app.options;
  const log = app.options.log.child(GRAPH_ORIGIN);
  const graph = graphOf(app);
  const clientState = () => readListenSettings(platformSettings(GRAPH_ORIGIN, settingsSource(app.options))).clientState;
  const made = {
    graph,
    meetings: createMeetings({ store, clock, ids, log, ports: portsOf(app, store, graph) }),
    subscriptions: createSubscriptions({ store, clock, log, ports: graphSubscriptions(graph, clientState) }),
  };
  known.set(store, made);
  return made;
}

/** Settings of the graph, read at every use. */
export function createGraphSources({ options }: MeetingApp): GraphSources {
  const source = settingsSource(options);
  return graphSources((prefix) => platformSettings(prefix, source));
}

/** One as long as its settings are the same: it keeps its token. */
function graphOf(app: MeetingApp): () => Graph {
  const { clock, net } = app.options;
  let kept: { readonly key: string; readonly graph: Graph } | undefined;
  return () => {
    const settings = readGraphSettings(createGraphSources(app));
    const { base, token, client } = settings;
    const key = JSON.stringify([base, token?.reveal(), client?.url, client?.id, client?.secret.reveal()]);
    if (kept?.key !== key) kept = { key, graph: createGraph(settings, { net, clock }) };
    return kept.graph;
  };
}

const TEXT_BYTES = 16 << 20;
const TEXT_MS = 60_000;
const RECORDING_BYTES = 512 << 20;
const RECORDING_MS = 300_000;
const NOBODY_HEARS = "no transcript, and no transcription configured for the recording";

function portsOf(app: MeetingApp, store: Store, graph: () => Graph): MeetingPorts {
  const { options } = app;
  const delivery = deliveryOf(app, store, graph);
  const transcriber = () => {
    const found = transcriberOf(options);
    if (found === undefined) throw new Error(NOBODY_HEARS);
    return found;
  };
  return {
    get: async (path, signal) => {
      const answer = await graph().call({ method: "GET", path }, signal);
      if (answer.ok) return JSON.parse(answer.text);
      if (answer.seen.saw === "answer" && answer.seen.status === 404) return undefined;
      throw new Error(answer.seen.error);
    },
    text: async (path, signal) =>
      (await graph().open(path, { maxBytes: TEXT_BYTES, totalMs: TEXT_MS, signal })).text(TEXT_BYTES),
    download: async (path, signal) => {
      transcriber(); // recordings without a transcriber are not fetched
      const response = await graph().open(path, { maxBytes: RECORDING_BYTES, totalMs: RECORDING_MS, signal });
      const folder = join(options.home.cache, "videos");
      return written(response, folder, `in_meeting_${options.ids.hex(8)}.mp4`);
    },
    transcribe: (path, signal) => transcriber().transcribe(path, signal),
    summarise: summariser(app),
    deliver: (summary, signal) => delivery.deliver(summary, { signal }),
    delivered: (meeting) => delivery.delivered(meeting),
  };
}

function deliveryOf(app: MeetingApp, store: Store, graph: () => Graph): SummaryDelivery {
  const { clock, net } = app.options;
  return createSummaryDelivery({
    net,
    clock,
    sink: () => readSink(createGraphSources(app)),
    graph: { call: (asked, signal) => graph().call(asked, signal) },
    records: {
      state: (meeting, sink) => store.read((q) => summaryState(q, meeting, sink)),
      claim: async (meeting, sink) => {
        const now = clock.now();
        return store.write("meetings.claim", (tx) => claimSummary(tx, { meeting, sink }, now));
      },
      note: async (meeting, sink, state) => {
        const now = clock.now();
        await store.write("meetings.delivery", (tx) => noteSummary(tx, { meeting, sink, state }, now));
      },
    },
  });
}

/** Nothing is left of what breaks off. */
async function written(response: NetResponse, folder: string, name: string): Promise<string> {
  await makeDirectory(folder, 0o700);
  const path = join(folder, name);
  const to = await openNew(path, 0o600);
  try {
    for await (const chunk of response.body) await to.appendFile(chunk);
    return path;
  } catch (error) {
    await removeFile(path);
    throw error;
  } finally {
    await to.close();
  }
}
