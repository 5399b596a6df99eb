import type { Ids } from "../../base/ids.js";
import type { Log } from "../../base/log/log.js";
import type { Net } from "../../base/net/net.js";
import type { Clock } from "../../base/time/clock.js";
import type { Inlet, PlatformTag } from "../../contracts/board/platform-tag.js";
import type { OpenHooks } from "../../contracts/gateway/listen.js";
import type { AdapterFault, Platform } from "../../contracts/gateway/platform.js";
import type { OwnTraits } from "../../contracts/gateway/platform-traits.js";
import type { PlatformSettings } from "../settings/platform-settings.js";

/** What an adapter is made with: its settings, where it puts what it receives, and the outside. */
export interface PlatformPorts {
  readonly settings: PlatformSettings;
  /** Settings that belong to another name: `PUBSUB_EMULATOR_HOST` is `EMULATOR_HOST` of `pubsub`. */
  readonly others: (prefix: string) => PlatformSettings;
  readonly inlet: Inlet;
  readonly net: Net;
  readonly clock: Clock;
  readonly ids: Ids;
  /** 0 to below 1, for the spread of waits. */
  readonly chance: () => number;
  readonly log: Log;
  /** Opens a listener for what the platform posts. */
  readonly hooks: OpenHooks;
  /** Directory of the home. */
  readonly home: string;
  /** Version of the program. */
  readonly version?: string;
  /** Commands that chats have, for platforms that offer them while one is typed. Absent: none. */
  readonly commands?: readonly OfferedCommand[];
}

/** A command as a platform offers it: its first word, and one line about it. */
export interface OfferedCommand {
  readonly name: string;
  readonly description: string;
}

/** One variable that `agent gateway setup <tag>` asks for. */
export interface SetupQuestion {
  /** Without the tag: `BOT_TOKEN`. */
  readonly variable: string;
  /** What is asked, without the question's end: "Token of the bot". */
  readonly ask: string;
  /** What is typed is not shown. */
  readonly secret?: boolean;
  /** May be left empty. Default false. */
  readonly optional?: boolean;
  /** Where to find it, in one line. */
  readonly hint?: string;
  /** What is wrong with an answer, in one sentence; undefined: nothing. */
  readonly problem?: (answer: string) => string | undefined;
}

/** What a check of credentials is made with. */
export interface CheckPorts extends Pick<PlatformPorts, "settings" | "others" | "net" | "clock" | "ids" | "home"> {
  readonly signal: AbortSignal;
}

/** Who the credentials belong to, in a word for people; or why they cannot be used, or nothing can be said. */
export type CredentialCheck = { readonly account: string } | AdapterFault;

/** What a login at a terminal is made with. */
export interface LoginPorts extends Pick<PlatformPorts, "settings" | "others" | "net" | "clock" | "ids"> {
  readonly version: string;
  /** Digits that were given beforehand. */
  readonly verifyCode?: string | undefined;
  /** Show what a phone has to scan. */
  code(content: string): Promise<void>;
  say(line: string): Promise<void>;
  /** Absent: without a person to ask. */
  readonly ask?: ((question: string) => Promise<string>) | undefined;
  readonly signal: AbortSignal;
}

/** Variables without the tag, to be stored; none where everything is as it was. */
export interface LoginResult {
  readonly account?: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly message: string;
}

/** One platform. One file in `adapters/platforms`, one default export. */
export interface PlatformDefinition {
  readonly tag: PlatformTag;
  readonly summary: string;
  /** What is special about it, where it is not as for every platform: the gateway asks for a trait, never for a tag. Plain data. */
  readonly traits: OwnTraits;
  /** Variables without the tag (`BOT_TOKEN`) that all have to be set before it counts as configured. */
  readonly credentials: readonly string[];
  /** Switches without the tag that count as configured when they are on, whatever of the credentials is set. */
  readonly switches?: readonly string[];
  /**
   * Variables without the tag whose values are the credential that only one process of a machine may use at a time; default: the first of
   * `credentials`. Before each connect it is claimed, and given back after `disconnect`: an adapter does nothing for it.
   */
  readonly claims?: readonly string[];
  /** What `agent gateway setup <tag>` asks, in order; default: each of `credentials`. Who may talk, and the home channel, are asked of every platform. */
  readonly setup?: readonly SetupQuestion[];
  /** Ask the platform about the credentials, as `connect` does before it receives anything. Absent: only connecting tells. Throws nothing. */
  readonly check?: (ports: CheckPorts) => Promise<CredentialCheck>;
  /** The base addresses that its settings come to, by variable. Reads settings alone. */
  readonly addresses?: (given: Pick<PlatformPorts, "settings" | "others">) => Readonly<Record<string, string>>;
  /** What is left to do at the platform itself, one sentence each. */
  readonly afterwards?: readonly string[];
  /** Log in at a terminal, where the platform's credentials come from such a login. @throws AppError with the reason */
  readonly login?: (ports: LoginPorts) => Promise<LoginResult>;
  /** Makes the adapter. Reads no network and loads no library; invalid settings are reported by `connect`. */
  readonly create: (ports: PlatformPorts) => Platform;
}

export const definePlatform = (definition: PlatformDefinition): PlatformDefinition => definition;

/** A platform as the index lists it: all that is known without loading it. */
export interface PlatformEntry extends Pick<PlatformDefinition, "tag" | "summary" | "credentials" | "switches"> {
  readonly load: () => Promise<PlatformDefinition>;
}
