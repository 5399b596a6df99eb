import type {
  KeptSubscription,
  ShownMeeting,
  ShownMeetingDetail,
  ShownSubscription,
} from "../../contracts/gateway/meetings-api.js";

/** What tools of the agent may not touch. */
export const SUBSCRIPTIONS = "subscriptions of meetings";

/** One job in a list. */
export function meetingLine({ id, state, title, resource, error, next_at }: ShownMeeting): string {
  const again = state === "retry_scheduled" && next_at !== null ? `  retry at ${next_at}` : "";
  return [`${id}  ${state}${again}  ${title ?? resource}`, ...(error === null ? [] : [`  ${error}`])].join("\n");
}

/** A job with what is known of its meeting. */
export function meetingText(job: ShownMeetingDetail): string {
  const { summary } = job;
  const list = (name: string, items: readonly string[]) => [
    `${name}:`,
    ...(items.length === 0 ? ["- None"] : items.map((item) => `- ${item}`)),
  ];
  const said =
    summary === null
      ? []
      : [
          "",
          `Summary: ${summary.summary}`,
          ...list("Key decisions", summary.decisions),
          ...list("Action items", summary.actions),
          ...list("Risks", summary.risks),
        ];
  const facts = [
    ["Resource", job.resource],
    ["Meeting", job.meeting],
    ["Transcript", job.transcript_id],
    ["Recording", job.recording_id],
    ["Subscription", job.subscription_id || null],
    ["Step", job.state === job.step ? null : job.step],
    ["Attempts", job.attempts === 0 ? null : String(job.attempts)],
    ["Created", job.created_at],
    ["Changed", job.updated_at],
  ].flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]));
  return [meetingLine(job), ...facts, ...said].join("\n");
}

/** One subscription in a list. */
export function subscriptionLine({
  id,
  resource,
  change_type,
  expires_at,
  state,
  at_graph,
  kept,
  error,
  ...one
}: ShownSubscription): string {
  const marks = [
    `${change_type}, until ${expires_at}`,
    ...(state === "active" ? [] : [state]),
    ...(at_graph === false ? ["unknown to the graph"] : []),
    ...(kept ? [] : ["not from this home"]),
  ];
  return [
    `${id}  ${resource}`,
    `  ${marks.join("; ")}`,
    `  ${one.notification_url}`,
    ...(error === null ? [] : [`  ${error}`]),
  ].join("\n");
}

/** What was done about one. */
export const keptLine = ({ id, resource, action, expires_at, error }: KeptSubscription): string =>
  `${id}  ${action}  ${resource}  ${error ?? `until ${expires_at}`}`;
