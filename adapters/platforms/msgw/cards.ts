import * as z from "zod";

const Rows = z
  .array(z.array(z.object({ text: z.string(), data: z.string() }).catch({ text: "", data: "" })).catch([]))
  .catch([]);

const CARD = "application/vnd.microsoft.card.adaptive";

/** What `Button.data` is about: its part behind the last colon but one, as the gateway writes it. */
const subjectOf = (data: string): string => data.split(":").at(-1) ?? data;

/** The card that shows a text with buttons; undefined: without buttons, so the text is a message of its own. */
export function cardOf(text: string, extra: Readonly<Record<string, unknown>> | undefined): object | undefined {
  const buttons = Rows.parse(extra?.["buttons"])
    .flat()
    .filter((one) => one.text !== "");
  if (buttons.length === 0) return undefined;
  const actions = buttons.map(({ text: title, data }) => ({
    type: "Action.Execute",
    title,
    verb: "agent",
    data: { agent_action: data, approval_id: subjectOf(data) },
  }));
  return adaptive(text === "" ? [] : [textBlock(text)], actions);
}

/** An Adaptive Card 1.4 as an attachment. */
export function adaptive(body: readonly object[], actions: readonly object[] = []): object {
  const content = {
    type: "AdaptiveCard",
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    version: "1.4",
    body,
    ...(actions.length === 0 ? {} : { actions }),
  };
  return { contentType: CARD, content };
}

export const textBlock = (text: string, more: object = {}): object => ({
  type: "TextBlock",
  text,
  wrap: true,
  ...more,
});
