import type { BoardEvent, Comment, Run } from "../../../../proto/board.js";
import type { TaskBrief } from "../../../../proto/board-api.js";
import type { Card, WaitReason, Why } from "../../../../proto/board-explain.js";
import type { Subscription } from "../../../../proto/board-notify.js";
import type { Attachment } from "../../../../proto/board-records.js";
import type { WorkspaceState } from "../../../../proto/board-workspace.js";

/** `GET /tasks/:id`, and the version that a change of it names. */
export interface TaskPage {
  readonly task: Card;
  readonly comments: readonly Comment[];
  readonly events: readonly BoardEvent[];
  readonly attachments: readonly Attachment[];
  readonly links: { readonly parents: readonly TaskBrief[]; readonly children: readonly TaskBrief[] };
  readonly runs: readonly Run[];
  readonly subscriptions: readonly Subscription[];
  readonly reasons: readonly WaitReason[];
}

/** `GET /tasks/:id/log`. */
export interface TaskLog {
  readonly task_id: string;
  readonly exists: boolean;
  readonly size_bytes: number;
  readonly content: string;
  readonly truncated: boolean;
}

/** `GET /home-channels`. */
export interface HomeChannel {
  readonly platform: string;
  readonly chat_id: string;
  readonly thread_id: string;
  readonly name: string;
  readonly subscribed: boolean;
}

export type { Why, WorkspaceState };
