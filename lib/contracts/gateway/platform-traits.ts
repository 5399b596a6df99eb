import type { Ms } from "../../base/units.js";
import type { ChatType, EventOrigin, PlatformTag } from "../board/platform-tag.js";
import type { SpokenForm } from "../media/voice.js";
import { PLATFORM_TRAITS } from "./platform-traits.gen.js";

/** What a platform can do. Lengths are UTF-16 code units. */
export interface Capabilities {
  readonly textMax: number;
  /** Default 1. Above: a text goes out as plain text, in so many messages a call. */
  readonly messagesPerCall: number;
  /** Default true. */
  readonly edits: boolean;
  /** Edits of one message before its last; absent: no limit. */
  readonly partialEditsMax?: number;
  /** Default true. */
  readonly threads: boolean;
  /** Default `yes`. `slow-answer`: no buttons of its own, but one that brings an answer whose right to reply has ended. */
  readonly buttons: "yes" | "no" | "slow-answer";
  /** Default false. */
  readonly reactions: boolean;
  /** Default false. A message that answers nothing costs money: files and acknowledgements are not pushed. */
  readonly pushCosts: boolean;
  /** False: a text of several messages is not wanted there; a long one is cut and kept in a file. */
  readonly splits?: false;
}

/** How much of a turn's calls a chat sees. */
export const TOOL_PROGRESS = ["off", "new", "all", "verbose"] as const;
export type ToolProgress = (typeof TOOL_PROGRESS)[number];

/** What a chat sees of a turn beside its answer (gateway part, 11.6). */
export interface Display {
  /** Default `new`. */
  readonly tools: ToolProgress;
  /** Acknowledgements say how far the running turn is. Default true. */
  readonly busyDetail: boolean;
  /** What the model says between its calls. Default true. */
  readonly interim: boolean;
  /** Signs of life of a long turn. Default true. */
  readonly life: boolean;
  /** Undefined, the default: as `streaming.enabled` says. */
  readonly streaming: boolean | undefined;
  /** Undefined, the default: as `display.runtime_footer.enabled` says. */
  readonly footer: boolean | undefined;
}

/** How a platform names its chats behind `<tag>:` (gateway part, 13.2). The patterns match whole identifiers. */
export interface ChatAddressRule {
  /** Pattern of a chat. Default: anything without blanks and colons. */
  readonly chat: string;
  /** Pattern of a thread. Default: no threads. */
  readonly thread?: string;
  /** What stands between chat and thread. Default `:`. */
  readonly between: string;
  /** The identifier of a thread holds that of its chat: `spaces/a/threads/b`. Default false. */
  readonly threadHoldsChat: boolean;
  /** Form of an identifier, shown after a mistyped one. Default `<chat>`. */
  readonly form: string;
}

/** How a platform recognises a message that is sent again (gateway part, 6.3). */
export interface SendKeyRule {
  /** Default `uuid`. `nonce`: 20 characters. */
  readonly form: "uuid" | "nonce";
  /** For how long. Absent, the default: it promises nothing. */
  readonly windowMs?: Ms;
  /** A right to reply is used once and expires after this time: it distinguishes a repetition from a first call. Absent: no right to reply. */
  readonly replyRightMs?: Ms;
}

/** How texts that follow each other become one message: clients cut long texts, so a long one waits longer for its rest (gateway part, 16). */
export interface JoinRule {
  /** Quiet time by the length of the last text; the first row that it reaches counts. */
  readonly quiet: readonly { readonly fromChars: number; readonly ms: Ms }[];
  /** Quiet time of a message with files. Absent: as that of a text. */
  readonly filesMs?: Ms;
  /** Only a file of an album waits for others. Default false. */
  readonly albums?: boolean;
  /** Where joining ends although more comes in. Absent: nowhere. */
  readonly most?: JoinLimit;
}

/** Where the messages of one turn end. */
export interface JoinLimit {
  readonly messages?: number;
  readonly chars?: number;
  /** From the first message on. */
  readonly ms?: Ms;
}

/** What is special about a platform. Data alone, so that it is known without loading any of its code. */
export interface PlatformTraits {
  readonly caps: Capabilities;
  /** Default: see there. */
  readonly address: ChatAddressRule;
  /** Default: see there. */
  readonly sendKey: SendKeyRule;
  /** Absent, the default: each text is a message of its own. */
  readonly joins?: JoinRule;
  /** What a chat sees of a turn; settings change single cells. Default: see there. */
  readonly display: Display;
  /** It may stream. Default true; false: whatever the settings say. */
  readonly streams: boolean;
  /** Least time between two edits of one message. Default 0. */
  readonly editEveryMs: Ms;
  /** It shows code blocks in a monospace font. Default false: everything is shown in a proportional one. */
  readonly monospace: boolean;
  /** An answer names the message that it answers. Default true. */
  readonly quotes: boolean;
  /** Messages cost money there, or are few: notices are lines of the answer, and nothing is sent unasked. Default false. */
  readonly sparing: boolean;
  /** Format of spoken answers: `ogg` is shown as a voice message; `none`: sound cannot be sent there. Default: mp3, an audio file. */
  readonly spokenAnswers: SpokenForm | "none";
  /** The answer to a press is shown to its author alone. Default false. */
  readonly alerts: boolean;
  /** For this time a text that follows the beginning of a turn joins it; `AGENT_<TAG>_FOLLOWUP_GRACE_SECONDS` changes it. Default 0: never. */
  readonly followUpGraceMs: Ms;
  /** Jobs have a thread of their own in the home channel, where `<TAG>_CRON_THREAD_ID` names one. Default false. */
  readonly jobThread: boolean;
  /** Topics of a direct chat are conversations of their own, where its user switches them on. Default false. */
  readonly directTopics: boolean;
  /** A direct chat has the identifier of its user. Default false. */
  readonly directChatIsUser: boolean;
  /** Type of a chat that the platform says nothing of, by the beginning of its identifier. Default: a direct chat. */
  readonly chatTypes: { readonly begins: Readonly<Record<string, ChatType>>; readonly otherwise: ChatType };
  /** What a chat becomes in a thread that was made in it, by its type; a `thread` names the chat as its parent. Default: it stays as it is. */
  readonly threadTypes: Readonly<Partial<Record<ChatType, ChatType>>>;
  /** The lists of the settings alone say who may talk: its adapter admits no one by rules of its own. Default false. */
  readonly listsDecide: boolean;
  /** `<TAG>_GROUP_ALLOWED_USERS` and `<TAG>_GROUP_ALLOWED_CHATS` are read; identifiers of groups begin with this. Absent, the default: they are not. */
  readonly groupLists?: { readonly chatsBegin: string };
  /** `<TAG>_ALLOWED_ROLES` is read. Default false. */
  readonly roleLists: boolean;
  /** `<TAG>_DM_POLICY` decides about unknown users. Default false. */
  readonly dmPolicy: boolean;
  /** Identifiers of users that look like e-mail addresses differ by case. Default false. */
  readonly idsByCase: boolean;
  /** File of the home for the OAuth client that `agent gateway setup --client-secret` installs. Absent, the default: it takes none. */
  readonly oauthClientFile?: string;
}

/** Traits as the definition of a platform names them: those that are not as for every platform. */
export interface OwnTraits extends Partial<Omit<PlatformTraits, "caps" | "address" | "sendKey" | "display">> {
  readonly caps: Partial<Capabilities> & Pick<Capabilities, "textMax">;
  readonly address?: Partial<ChatAddressRule>;
  readonly sendKey?: Partial<SendKeyRule>;
  readonly display?: Partial<Display>;
}

const DEFAULTS: Omit<PlatformTraits, "caps"> & { readonly caps: Omit<Capabilities, "textMax"> } = {
  caps: { messagesPerCall: 1, edits: true, threads: true, buttons: "yes", reactions: false, pushCosts: false },
  address: { chat: "[^\\s:]+", between: ":", threadHoldsChat: false, form: "<chat>" },
  sendKey: { form: "uuid" },
  display: { tools: "new", busyDetail: true, interim: true, life: true, streaming: undefined, footer: undefined },
  streams: true,
  editEveryMs: 0,
  monospace: false,
  quotes: true,
  sparing: false,
  spokenAnswers: "mp3",
  alerts: false,
  followUpGraceMs: 0,
  jobThread: false,
  directTopics: false,
  directChatIsUser: false,
  chatTypes: { begins: {}, otherwise: "dm" },
  threadTypes: {},
  listsDecide: false,
  roleLists: false,
  dmPolicy: false,
  idsByCase: false,
};

/** What other systems post is answered as one text, and nothing is shown while it is worked on. */
const ELSEWHERE: PlatformTraits = completeTraits({
  caps: { textMax: 60_000, edits: false, threads: false, buttons: "no" },
  display: { tools: "off", busyDetail: false, interim: false, life: false, streaming: false },
  quotes: false,
  spokenAnswers: "none",
});

/** Those of a definition, and for the others what holds for every platform. */
function completeTraits(own: OwnTraits): PlatformTraits {
  return {
    ...DEFAULTS,
    ...own,
    caps: { ...DEFAULTS.caps, ...own.caps },
    address: { ...DEFAULTS.address, ...own.address },
    sendKey: { ...DEFAULTS.sendKey, ...own.sendKey },
    display: { ...DEFAULTS.display, ...own.display },
  };
}

const DEFINED: Readonly<Record<PlatformTag, OwnTraits>> = PLATFORM_TRAITS;
const TRAITS = new Map<string, PlatformTraits>(Object.entries(DEFINED).map(([tag, own]) => [tag, completeTraits(own)]));

/** A plugin brings a platform. @returns forgets it */
export function addTraits(tag: PlatformTag, own: OwnTraits): () => void {
  TRAITS.set(tag, completeTraits(own));
  return () => void TRAITS.delete(tag);
}

/** What is special about the place that events come from; a place other than a platform has the traits of other systems. */
export const traitsOf = (origin: string): PlatformTraits => TRAITS.get(origin) ?? ELSEWHERE;

/** What the place can do that events come from. */
export const capsOf = (origin: string): Capabilities => traitsOf(origin).caps;

/** Whether a chat stands behind it: other systems do not have one. */
export const isPlatform = (origin: EventOrigin): origin is PlatformTag => TRAITS.has(origin);
