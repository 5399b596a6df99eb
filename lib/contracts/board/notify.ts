/** Subscriptions to board events, and messages not yet delivered (board part, 2.7 and 13). Instants are unix seconds. */
import type { BoardSlug, TaskId, UnixSeconds } from "../../base/units.js";
import type { Actor } from "./board.js";

/** Every kind of event that a board writes (board part, 5). A subscription to a kind that does not exist would wait for ever. */
export const EVENT_KINDS = [
  "created",
  "promoted",
  "promoted_manual",
  "claimed",
  "claim_rejected",
  "claim_extended",
  "spawned",
  "adopted",
  "spawn_failed",
  "heartbeat",
  "completed",
  "completion_blocked_hallucination",
  "phantom_refs_suspected",
  "artifact_skipped",
  "blocked",
  "unblocked",
  "scheduled",
  "due",
  "specified",
  "decomposed",
  "decompose_failed",
  "linked",
  "unlinked",
  "commented",
  "attached",
  "attachment_removed",
  "assigned",
  "edited",
  "reprioritized",
  "status",
  "reopened",
  "archived",
  "unarchived",
  "reclaimed",
  "crashed",
  "protocol_violation",
  "rate_limited",
  "timed_out",
  "stale",
  "stuck",
  "gave_up",
  "respawn_guarded",
  "skill_missing",
  "workspace_created",
  "tip_scratch_workspace",
  "board_created",
  "board_updated",
  "board_paused",
  "board_resumed",
  "board_archived",
  "deleted",
  "orchestration_changed",
] as const;

/** A place to notify. `thread` is empty for chats without threads. */
export interface ChatPlace {
  readonly platform: string;
  readonly chat_id: string;
  readonly thread_id?: string | undefined;
}

/** A chat on a messaging platform that a command came from. The terminal is none: nothing can be delivered there. */
export interface ChatOrigin extends ChatPlace {
  readonly user_id?: string | undefined;
  /** The other identifier of the sender, where the platform has two. */
  readonly user_id_alt?: string | undefined;
  /** `dm`, `group`, ...: how many people read there. */
  readonly chat_type?: string | undefined;
  /** Name of the chat, where the platform tells it. */
  readonly chat_name?: string | undefined;
  /** Display name of the sender: author of what the sender writes. */
  readonly user_name?: string | undefined;
}

/** What is subscribed: one task, or without one the board, or one tenant of it. */
export interface Subscribing extends ChatPlace {
  readonly task?: TaskId | undefined;
  readonly tenant?: string | undefined;
  readonly user_id?: string | undefined;
  /** Profile whose gateway tells it; default: the one that owns the platform. */
  readonly notifier_profile?: string | undefined;
  /** Default: the usual set of board part 13.1. */
  readonly kinds?: readonly string[] | undefined;
  /** Send declared artifacts along; default true. */
  readonly artifacts?: boolean | undefined;
}

export interface Subscription {
  readonly id: number;
  readonly task_id: TaskId | null;
  readonly tenant: string | null;
  readonly platform: string;
  readonly chat_id: string;
  readonly thread_id: string;
  readonly user_id: string | null;
  readonly notifier_profile: string | null;
  readonly kinds: readonly string[] | null;
  readonly artifacts: boolean;
  readonly inherited_from: TaskId | null;
  readonly created_at: UnixSeconds;
  /** Newest event when it was made, later the newest one that is settled for it. */
  readonly last_event_id: number;
  /** The task is over: it waits for its last deliveries and hears of nothing more. */
  readonly ended: boolean;
  /** A message could not be delivered, and none has been since. */
  readonly degraded: boolean;
  /** Messages that are still to be delivered. */
  readonly waiting: number;
}

const DELIVERY_STATES = ["pending", "sending", "sent", "uncertain", "failed", "expired"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export interface Delivery {
  readonly subscription_id: number;
  readonly event_id: number;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly next_at: UnixSeconds;
  readonly platform_message_id: string | null;
  readonly error: string | null;
  readonly created_at: UnixSeconds;
  readonly updated_at: UnixSeconds;
}

/** The verbs about subscriptions; a part of the board. */
export interface NotifyApi {
  /**
   * Subscribe a chat; repeating it changes the row. Earlier events are not sent.
   *
   * @throws E_USAGE for a malformed place or kind, E_NOT_FOUND for an unknown task
   */
  subscribe(
    board: BoardSlug,
    params: Subscribing,
    by: Actor,
  ): Promise<{ subscription: Subscription; created: boolean; warnings: readonly string[] }>;
  /** Subscriptions of a task, or all of the board; oldest first. */
  subscriptions(board: BoardSlug, task?: TaskId): Promise<readonly Subscription[]>;
  /** Remove a subscription with its undelivered messages. @returns false when it did not exist */
  unsubscribe(board: BoardSlug, params: ChatPlace & Pick<Subscribing, "task" | "tenant">, by: Actor): Promise<boolean>;
  /** What was owed and what became of it, oldest first; of one subscription, or of the whole board. */
  deliveries(board: BoardSlug, subscription?: number): Promise<readonly Delivery[]>;
}
