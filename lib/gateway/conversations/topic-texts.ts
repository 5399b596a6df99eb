/** Texts for people about topics of direct chats. */
export const TOPIC_WORDS = {
  usage: [
    "/topic: turn topics on, or show the conversation of this topic.",
    "/topic <id>: continue an earlier conversation in this topic.",
    "/topic off: turn topics off; existing topics are kept.",
  ].join("\n"),
  elsewhere: "⛔ Topics are available in direct chats of this platform only.",
  noAnswer: "⚠️ The platform did not report whether this bot has topics. Try again.",
  notOffered:
    "Topics are off for this bot. Its owner must turn on topics in private chats in the bot's settings on the platform; " +
    "then /topic works here.",
  mayNotCreate:
    "Users may not create topics with this bot. Its owner must allow users to create topics in the bot's settings on the platform; then " +
    "/topic works here.",
  notOpened: "⚠️ The platform failed to create the topic. Nothing was changed; try again.",
  off: "Topics are off. Existing topics are kept; this chat is one conversation again.",
  notOn: "Topics are off in this chat. /topic turns them on.",
  goInto: "⛔ Open a topic first, then run /topic <id> in it.",
  lobby:
    "Topics are on here, so messages outside topics are not answered. Open a new topic, or continue in one. Commands work here.",
  lobbyNew:
    "Every topic is a separate conversation. Open a new topic to start one; /new in a topic restarts that topic.",
  afterNew: "This topic starts over. To work on several things, open one topic for each.",
  intro: "Each topic is a separate conversation: open one and write. Use this one for general messages.",
  independent: "This topic is a separate conversation. Write here, or use /topic <id> to continue an earlier one.",
} as const;

const TITLE_MAX = 120;

/** Title of a topic: one line, at most 120 characters. */
export function topicTitle(title: string): string {
  const line = title.replaceAll(/\s+/g, " ").trim();
  if (line.length <= TITLE_MAX) return line;
  return `${line.slice(0, TITLE_MAX - 3).replace(/[\ud800-\udbff]$/, "")}...`;
}
