import type { GatewayApi } from "../../contracts/gateway/api.js";
import type { CronApi } from "../../contracts/gateway/cron.js";

/** The gateway, loaded with the first call. The order is that of the interfaces that `GatewayApi` extends; `lib/app/gateway/gateway-api.ts` implements them. */
export function lazyGateway(gateway: () => Promise<GatewayApi>): GatewayApi {
  return {
    // GatewayApi
    status: async (...given) => (await gateway()).status(...given),
    adapters: async (...given) => (await gateway()).adapters(...given),
    outbox: async (...given) => (await gateway()).outbox(...given),
    topic: async (...given) => (await gateway()).topic(...given),
    retry: async (...given) => (await gateway()).retry(...given),
    drop: async (...given) => (await gateway()).drop(...given),
    end: async (...given) => (await gateway()).end(...given),
    begin: async (...given) => (await gateway()).begin(...given),
    restart: async (...given) => (await gateway()).restart(...given),
    pause: async (...given) => (await gateway()).pause(...given),
    resume: async (...given) => (await gateway()).resume(...given),

    // PairingApi
    pairings: async (...given) => (await gateway()).pairings(...given),
    approvePairing: async (...given) => (await gateway()).approvePairing(...given),
    revokePairing: async (...given) => (await gateway()).revokePairing(...given),
    clearPending: async (...given) => (await gateway()).clearPending(...given),

    // WebhooksApi
    subscribeWebhook: async (...given) => (await gateway()).subscribeWebhook(...given),
    webhooks: async (...given) => (await gateway()).webhooks(...given),
    removeWebhook: async (...given) => (await gateway()).removeWebhook(...given),
    testWebhook: async (...given) => (await gateway()).testWebhook(...given),

    // MessagesApi
    send: async (...given) => (await gateway()).send(...given),
    targets: async (...given) => (await gateway()).targets(...given),
    react: async (...given) => (await gateway()).react(...given),

    // MeetingsApi
    meetings: async (...given) => (await gateway()).meetings(...given),
    meeting: async (...given) => (await gateway()).meeting(...given),
    runMeeting: async (...given) => (await gateway()).runMeeting(...given),
    fetchMeeting: async (...given) => (await gateway()).fetchMeeting(...given),
    subscriptions: async (...given) => (await gateway()).subscriptions(...given),
    subscribeMeetings: async (...given) => (await gateway()).subscribeMeetings(...given),
    renewSubscription: async (...given) => (await gateway()).renewSubscription(...given),
    deleteSubscription: async (...given) => (await gateway()).deleteSubscription(...given),
    maintainSubscriptions: async (...given) => (await gateway()).maintainSubscriptions(...given),
    tokenHealth: async (...given) => (await gateway()).tokenHealth(...given),
    validateMeetings: async (...given) => (await gateway()).validateMeetings(...given),

    // ChatConversationsApi
    conversations: async (...given) => (await gateway()).conversations(...given),
    conversation: async (...given) => (await gateway()).conversation(...given),
    conversationOf: async (...given) => (await gateway()).conversationOf(...given),

    // HandoffApi
    handoff: async (...given) => (await gateway()).handoff(...given),
  };
}

/** Scheduled jobs, loaded with the first call. */
export function lazyCron(cron: () => Promise<CronApi>): CronApi {
  return {
    create: async (...given) => (await cron()).create(...given),
    edit: async (...given) => (await cron()).edit(...given),
    show: async (...given) => (await cron()).show(...given),
    list: async (...given) => (await cron()).list(...given),
    pause: async (...given) => (await cron()).pause(...given),
    resume: async (...given) => (await cron()).resume(...given),
    run: async (...given) => (await cron()).run(...given),
    runs: async (...given) => (await cron()).runs(...given),
    remove: async (...given) => (await cron()).remove(...given),
    status: async (...given) => (await cron()).status(...given),
    tick: async (...given) => (await cron()).tick(...given),
  };
}
