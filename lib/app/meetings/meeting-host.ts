import type { Store } from "../../../storage/store.js";
import { defineService, type Service } from "../../base/async/service.js";
import { toAppError } from "../../base/errors.js";
import { GRAPH_ORIGIN } from "../../contracts/board/platform-tag.js";
import type { HookListener, SourceStatus } from "../../contracts/gateway/listen.js";
import type { AdapterFault } from "../../contracts/gateway/platform.js";
import { notificationRoutes } from "../../gateway/meetings/graph-notifications.js";
import { readListenSettings } from "../../gateway/meetings/listen-settings.js";
import { platformSettings, settingsSource } from "../../gateway/settings/platform-settings.js";
import { createHooks } from "../../http/hooks.js";
import { type MeetingApp, type MeetingWork, meetingWork } from "./meetings-work.js";

/** Meetings of a home: where their notifications come in, and the work on them. */
export interface MeetingHost {
  readonly service: Service;
  readonly work: MeetingWork;
  /** `host:port` while it listens. */
  listen(): string | undefined;
  status(): SourceStatus;
  problems(): readonly string[];
}

const RETRY_MS = 30_000;

/** Nothing is opened before its service starts, and nothing at all unless `MSGRAPH_WEBHOOK_ENABLED` says so. */
export function createMeetingHost(app: MeetingApp, store: Store): MeetingHost {
  const { options } = app;
  const { clock } = options;
  const log = options.log.child(GRAPH_ORIGIN);
  const settings = platformSettings(GRAPH_ORIGIN, settingsSource(options));
  const work = meetingWork(app, store);
  const { meetings, subscriptions } = work;
  const hooks = createHooks({ clock, log });
  let listener: HookListener | undefined;
  let fault: AdapterFault | undefined;
  let since = clock.now();
  const open = async () => {
    try {
      const { enabled, host, port } = readListenSettings(settings);
      if (!enabled || listener !== undefined) return;
      const opened = await hooks({
        owner: GRAPH_ORIGIN,
        host,
        port,
        portSetting: "MSGRAPH_WEBHOOK_PORT",
        routes: notificationRoutes({
          log,
          take: meetings.take,
          lifecycle: subscriptions.told,
          clientState: () => readListenSettings(settings).clientState,
          cidrs: () => readListenSettings(settings).cidrs,
        }),
      });
      if ("close" in opened) listener = opened;
      fault = "close" in opened ? undefined : opened;
    } catch (error) {
      fault = { code: "config_invalid", message: toAppError(error).message };
    }
    since = clock.now();
    if (fault !== undefined) log.error("not receiving meeting notifications", { error: fault.message });
  };
  const service = defineService(GRAPH_ORIGIN, async (scope) => {
    await meetings.service.start();
    scope.onStop(() => meetings.service.stop(0));
    scope.onStop(async () => {
      await listener?.close();
      listener = undefined;
    });
    await open();
    await subscriptions.service.start();
    scope.onStop(() => subscriptions.service.stop(0));
    scope.loop(async () => {
      await clock.sleep(RETRY_MS, scope.signal);
      if (fault !== undefined) await open();
    });
  });
  const problems = () => [
    ...(fault === undefined ? [] : [`${GRAPH_ORIGIN}: ${fault.message}`]),
    ...(meetings.failed() === 0
      ? []
      : [
          `${GRAPH_ORIGIN}: ${meetings.failed()} of the meetings of the last day failed: agent meetings list shows why`,
        ]),
  ];
  const status = (): SourceStatus => ({ name: GRAPH_ORIGIN, listen: listener?.address, fault, since });
  return { service, work, listen: () => listener?.address, status, problems };
}
