/** Programs of the user that are notified of gateway events (gateway part, 14.5). */

export const HOOK_EVENTS = [
  "gateway:startup",
  "session:start",
  "session:end",
  "session:reset",
  "agent:start",
  "agent:step",
  "agent:end",
] as const;
export type HookEvent =
  | "gateway:startup"
  | "session:start"
  | "session:end"
  | "session:reset"
  | "agent:start"
  | "agent:step"
  | "agent:end";

/** What a hook makes of a command. `handled`: it has dealt with it. `rewrite`: another command runs in its place. */
export interface HookDecision {
  readonly decision: "allow" | "deny" | "handled" | "rewrite";
  /** Answer to the chat; for deny and handled. */
  readonly message?: string;
  /** For rewrite; default: as it was typed. */
  readonly command_name?: string;
  readonly raw_args?: string;
}

export interface HookSource {
  readonly platform: string;
  readonly chat_id: string | null;
  readonly user_id: string | null;
}

/** What the gateway calls. Hooks that fail or take too long are logged and change nothing. */
export interface GatewayHooks {
  /** The event has listeners: only then its data needs to be collected. */
  wants(event: HookEvent): boolean;
  /** Tell hooks of an event, in order, without waiting for them. */
  tell(event: HookEvent, data: Readonly<Record<string, unknown>>): void;
  /** A hook decides about a command before it runs. */
  asks(command: string): boolean;
  /** Ask hooks about a command before it runs; the first that does not allow it decides. Undefined: it runs as it is. */
  decide(command: string, args: string, source: HookSource): Promise<HookDecision | undefined>;
  /** Resolves when hooks have received every event published so far. */
  idle(): Promise<void>;
}

/** A hook of the home, as its directory describes it. */
export interface FoundHook {
  /** Name of its directory. */
  readonly id: string;
  readonly dir: string;
  readonly events: readonly string[];
  /** The program, links followed; it lies inside the directory. */
  readonly handler: string;
  /** Runs with the runtime of this program. */
  readonly script: boolean;
  /** Changes with its description and its program. */
  readonly digest: string;
  /** SHA-256 of the program alone, in hex: other bytes do not run. */
  readonly handlerDigest: string;
}

/** Asks a person whether new and changed hooks may run. */
export type AskHooks = (hooks: readonly FoundHook[]) => Promise<boolean>;
