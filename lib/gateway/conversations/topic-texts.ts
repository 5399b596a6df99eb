/** What people are told about topics of direct chats. */
export const TOPIC_WORDS = {
  usage: [
    "/topic: switch topics on, or say what this topic belongs to.",
    "/topic <id>: in a topic, go on there with an earlier conversation.",
    "/topic off: switch topics off; the topics stay as they are.",
  ].join("\n"),
  elsewhere: "⛔ Topics are there in direct chats of this platform only.",
  noAnswer: "⚠️ The platform did not say whether this bot has topics. Try again.",
  notOffered:
    "Topics are switched off for this bot. Whoever owns it opens the settings of the bot at the platform, switches on topics in private chats, and " +
    "then /topic works here.",
  mayNotCreate:
    "People may not make topics with this bot. Whoever owns it allows users to create topics in the settings of the bot at the platform; then " +
    "/topic works here.",
  notOpened: "⚠️ The platform did not make the topic. Nothing was changed; try again.",
  off: "Topics are switched off. The topics themselves stay; this chat is one conversation again.",
  notOn: "Topics are not switched on in this chat. /topic switches them on.",
  goInto: "⛔ Open a topic first: /topic <id> goes on with a conversation in the topic where it is written.",
  lobby:
    "Topics are switched on here, so messages outside of a topic are not answered. Open a new topic, or go on in one. Commands work here.",
  lobbyNew:
    "Every topic is a conversation of its own. Open a new topic for a new one; /new inside a topic begins that topic anew.",
  afterNew: "This topic begins anew. For work side by side open one topic for each.",
  intro: "Each topic is a conversation of its own: open one and write. This one is for what concerns all of them.",
  independent: "This topic is an independent conversation. Write here, or /topic <id> to go on with an earlier one.",
} as const;

const TITLE_MAX = 120;

/** Title of a topic: one line, at most 120 characters. */
export function topicTitle(title: string): string {
  const line = title.replaceAll(/\s+/g, " ").trim();
  if (line.length <= TITLE_MAX) return line;
  return `${line.slice(0, TITLE_MAX - 3).replace(/[\ud800-\udbff]$/, "")}...`;
}
