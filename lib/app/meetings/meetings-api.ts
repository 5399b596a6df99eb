import { readGraphSettings } from "../../../adapters/platforms/msgraph/settings.js";
import type { Store } from "../../../storage/store.js";
import { AppError, toAppError } from "../../base/errors.js";
import { toIso } from "../../base/units.js";
import { GRAPH_ORIGIN } from "../../contracts/board/platform-tag.js";
import {
  type GraphSubscription,
  LONGEST_HOURS,
  type MeetingJob,
  type MeetingSubscription,
} from "../../contracts/gateway/meetings.js";
import type {
  MeetingsApi,
  ShownMeeting,
  ShownMeetingDetail,
  ShownSubscription,
  TokenHealth,
  WantedSubscription,
} from "../../contracts/gateway/meetings-api.js";
import { NOTIFICATIONS_PATH } from "../../gateway/meetings/graph-notifications.js";
import { readListenSettings } from "../../gateway/meetings/listen-settings.js";
import type { MeetingData } from "../../gateway/meetings/meeting-ports.js";
import { isPlain } from "../../gateway/meetings/meeting-steps.js";
import { platformSettings, settingsSource } from "../../gateway/settings/platform-settings.js";
import type { OwnerServices } from "../../rpc/commands/owner-services.js";
import { hasState } from "../stores/has-state.js";
import { checksOf } from "./meetings-checks.js";
import { createGraphSources, type MeetingWork, meetingWork } from "./meetings-work.js";

const HOUR_MS = 3_600_000;

/** Meetings as commands use them. What a command asks for is done in its process, also where no gateway runs. */
export function meetingMethods(app: OwnerServices): MeetingsApi {
  const { options, stores } = app;
  const there = async (): Promise<Store | undefined> =>
    options.kind === "readonly" && !hasState(options.home) ? undefined : stores.state();
  const work = async (): Promise<MeetingWork> => meetingWork(app, await stores.state());
  return {
    meetings: async () => {
      const store = await there();
      return store === undefined ? [] : (await meetingWork(app, store).meetings.list()).map(shown);
    },
    meeting: async (id) => {
      const store = await there();
      if (store === undefined)
        throw new AppError("E_NOT_FOUND", `no such meeting job: ${id}`, {
          id,
          hint: "agent meetings list lists jobs",
        });
      return detail(await meetingWork(app, store).meetings.get(id));
    },
    runMeeting: async (id, how) => detail(await (await work()).meetings.run(id, how)),
    fetchMeeting: async (meeting, how) => {
      const { meetings } = await work();
      const resource = meeting.trim().replace(/^\/+/, "");
      if (!isPlain(resource.replace(/\('[^']*'\)/g, "/x"))) {
        throw new AppError("E_INVALID", `invalid meeting path ${JSON.stringify(meeting)}`, {
          hint: "use users/<id>/onlineMeetings/<id>",
        });
      }
      const { id } = await meetings.add(
        resource.includes("/") ? resource : `communications/onlineMeetings/${encodeURIComponent(resource)}`,
      );
      return detail(await meetings.run(id, how));
    },
    ...subscriptionMethods(app, { work, there }),
    tokenHealth: async (signal) => health(app, await work(), signal),
    validateMeetings: async () => checksOf(app),
  };
}

interface Parts {
  readonly work: () => Promise<MeetingWork>;
  readonly there: () => Promise<Store | undefined>;
}

type OfSubscriptions =
  | "subscriptions"
  | "subscribeMeetings"
  | "renewSubscription"
  | "deleteSubscription"
  | "maintainSubscriptions";

function subscriptionMethods(app: OwnerServices, { work, there }: Parts): Pick<MeetingsApi, OfSubscriptions> {
  return {
    subscriptions: async (signal) => {
      const store = await there();
      if (store === undefined) return { subscriptions: [], problem: null };
      const { subscriptions } = meetingWork(app, store);
      const kept = await subscriptions.list();
      const asked = await subscriptions.atGraph(signal).catch((error: unknown) => toAppError(error).message);
      signal.throwIfAborted();
      const at = typeof asked === "string" ? undefined : asked;
      const others = (at ?? []).filter(({ id }) => kept.every((one) => one.id !== id)).map(foreign);
      return {
        subscriptions: [...kept.map((one) => shownSubscription(one, at)), ...others],
        problem: typeof asked === "string" ? asked : null,
      };
    },
    subscribeMeetings: async (wanted, signal) => {
      const settings = { ...readListenSettings(platformSettings(GRAPH_ORIGIN, settingsSource(app.options))) };
      const { url, lasts } = checked(wanted, settings);
      const { subscriptions } = await work();
      const { resource, change_type: changeType } = wanted;
      const row = await subscriptions
        .subscribe({ resource: resource.replace(/^\/+/, ""), changeType, url, lasts }, signal)
        .catch(refused);
      return { ...shownSubscription(row, undefined), at_graph: true };
    },
    renewSubscription: async (id, signal) => (await work()).subscriptions.renew(id, signal).catch(refused),
    deleteSubscription: async (id, signal) => {
      await (await work()).subscriptions.remove(id, signal).catch(refused);
      return { id };
    },
    maintainSubscriptions: async (signal) => (await work()).subscriptions.maintain(signal),
  };
}

/** What the graph says against it is not a fault of the program. */
function refused(error: unknown): never {
  if (error instanceof AppError) throw error;
  throw new AppError("E_INVALID", toAppError(error).message, {
    hint: "agent meetings validate checks the settings, agent meetings token-health the token",
  });
}

function checked(
  { notification_url: given, hours, resource }: WantedSubscription,
  { clientState, publicUrl }: { readonly clientState: string; readonly publicUrl: string },
): { readonly url: string; readonly lasts: number } {
  if (resource.trim() === "")
    throw new AppError("E_INVALID", "empty resource", {
      hint: "e.g. communications/onlineMeetings/getAllTranscripts",
    });
  if (clientState === "") {
    throw new AppError("E_CONFIG", "MSGRAPH_WEBHOOK_CLIENT_STATE is not set; it authenticates notifications", {
      hint: "add a long random value to .env",
    });
  }
  const url = given ?? (publicUrl === "" ? "" : `${publicUrl}${NOTIFICATIONS_PATH}`);
  if (url === "") {
    throw new AppError("E_CONFIG", "missing public URL for notifications", {
      hint: "set MSGRAPH_WEBHOOK_PUBLIC_URL, or pass --notification-url",
    });
  }
  if (!URL.canParse(url)) throw new AppError("E_INVALID", `--notification-url: invalid URL ${url}`);
  if (hours < 1 || hours > LONGEST_HOURS) throw new AppError("E_INVALID", `--hours must be from 1 to ${LONGEST_HOURS}`);
  return { url, lasts: hours * HOUR_MS };
}

function shown({ id, state, step, resource, data, ...job }: MeetingJob): ShownMeeting {
  const { title = null } = JSON.parse(data) as MeetingData; // the store wrote it from one
  const waits = state !== "completed" && state !== "failed";
  return {
    id,
    state,
    step,
    title,
    resource,
    subscription_id: job.subscription_id,
    attempts: job.attempts,
    error: job.error,
    next_at: waits ? toIso(job.next_at) : null,
    created_at: toIso(job.created_at),
    updated_at: toIso(job.updated_at),
  };
}

function detail(job: MeetingJob): ShownMeetingDetail {
  const {
    summary = null,
    meetingId,
    meeting,
    transcriptId = null,
    recordingId = null,
  } = JSON.parse(job.data) as MeetingData; // as above
  const name = summary?.meeting ?? meetingId ?? meeting ?? null;
  return { ...shown(job), meeting: name, transcript_id: transcriptId, recording_id: recordingId, summary };
}

function shownSubscription(one: MeetingSubscription, at: readonly GraphSubscription[] | undefined): ShownSubscription {
  const { id, resource, change_type, notification_url, state, error } = one;
  const at_graph = at === undefined ? null : at.some((held) => held.id === id);
  return {
    id,
    resource,
    change_type,
    notification_url,
    expires_at: toIso(one.expires_at),
    state,
    at_graph,
    kept: true,
    error,
  };
}

const foreign = ({ id, resource, changeType, url, expiresAt }: GraphSubscription): ShownSubscription => ({
  id,
  resource,
  change_type: changeType,
  notification_url: url,
  expires_at: toIso(expiresAt),
  state: "active",
  at_graph: true,
  kept: false,
  error: null,
});

async function health(app: OwnerServices, { graph }: MeetingWork, signal: AbortSignal): Promise<TokenHealth> {
  const { token: given, client } = readGraphSettings(createGraphSources(app));
  const source = given !== undefined ? "MSGW_GRAPH_ACCESS_TOKEN" : client !== undefined ? "client_credentials" : "none";
  const found = await graph().token(signal);
  if (found.found === "none") return { ok: false, source, expires_at: null, roles: [], error: found.seen.error };
  const said = claimsOf(found.token.reveal());
  const answer = await graph().call({ method: "GET", path: "subscriptions" }, signal);
  return { ok: answer.ok, source, ...said, error: answer.ok ? null : answer.seen.error };
}

/** What a token says of itself. It is not trusted: it is shown to its holder. */
function claimsOf(token: string): Pick<TokenHealth, "expires_at" | "roles"> {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));
    if (typeof claims !== "object" || claims === null) return { expires_at: null, roles: [] };
    const exp = "exp" in claims && typeof claims.exp === "number" ? toIso(claims.exp * 1000) : null;
    const roles =
      "roles" in claims && Array.isArray(claims.roles) ? claims.roles.filter((one) => typeof one === "string") : [];
    return { expires_at: exp, roles };
  } catch {
    return { expires_at: null, roles: [] }; // many tokens cannot be read
  }
}
