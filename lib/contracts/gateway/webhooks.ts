/** What other systems may post to the gateway (gateway part, 18). */
import type { EpochMs } from "../../base/units.js";

/** One route: of a subscription, or of `webhooks.routes` in config.yaml. */
export interface WebhookRoute {
  readonly name: string;
  readonly description: string;
  /** Names of events that are taken; empty: all. */
  readonly events: readonly string[];
  /** Empty: not configured; requests are refused. */
  readonly secret: string;
  /** Template. Empty: a general text with the payload. */
  readonly prompt: string;
  readonly skills: readonly string[];
  /** `log`, `github_comment`, or a target. */
  readonly deliver: string;
  /** Templates: `chat_id`, `thread_id`, for comments `repo` and `pr_number`. */
  readonly deliver_extra: Readonly<Record<string, string>>;
  /** No model is asked. */
  readonly deliver_only: boolean;
  readonly enabled: boolean;
  /** Requests with a right signature in a minute. */
  readonly rate_limit: number;
  readonly max_body_bytes: number;
  readonly created_at: EpochMs | null;
}

/** What a subscription is made of; the rest has its default. */
export interface NewSubscription {
  readonly name: string;
  readonly prompt?: string | undefined;
  readonly events?: readonly string[] | undefined;
  readonly description?: string | undefined;
  readonly skills?: readonly string[] | undefined;
  readonly deliver: string;
  readonly deliver_extra: Readonly<Record<string, string>>;
  readonly secret?: string | undefined;
  readonly deliver_only: boolean;
  /** Replace one of the same name. */
  readonly force: boolean;
}

/** A route as it is shown: its secret as its last characters at most. */
export interface ShownRoute extends Omit<WebhookRoute, "secret" | "created_at"> {
  readonly secret: string;
  readonly created_at: string | null;
  /** Where it is written: `config` wins over `subscription`. */
  readonly source: "config" | "subscription";
  readonly url: string;
}

export interface MadeSubscription {
  readonly route: ShownRoute;
  /** The secret itself, once. */
  readonly secret: string;
  /** Whether requests are taken now. */
  readonly listening: boolean;
  /** Why answers could not be delivered if one were due now. */
  readonly warnings: readonly string[];
}

/** What a test request was answered with. */
export interface WebhookTest {
  readonly url: string;
  readonly status: number;
  readonly answer: string;
}

/** Subscriptions as commands use them. */
export interface WebhooksApi {
  /** @throws E_CONFLICT it exists, E_INVALID, E_NOT_FOUND or E_AMBIGUOUS for the target */
  subscribeWebhook(wanted: NewSubscription): Promise<MadeSubscription>;
  /** Every route, by name. */
  webhooks(): Promise<readonly ShownRoute[]>;
  /** @throws E_NOT_FOUND */
  removeWebhook(name: string): Promise<{ readonly name: string }>;
  /** Send a signed request to the running server. @throws E_NOT_FOUND, E_STATE when no server runs */
  testWebhook(
    name: string,
    how: { readonly payload?: string | undefined; readonly event?: string | undefined },
  ): Promise<WebhookTest>;
}
