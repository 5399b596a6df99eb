import type { TaskBrief } from "../../../../contracts/board/api.js";
import type { BoardEvent, Comment, Run } from "../../../../contracts/board/board.js";
import type { Card, WaitReason, Why } from "../../../../contracts/board/explain.js";
import type { Subscription } from "../../../../contracts/board/notify.js";
import type { Attachment } from "../../../../contracts/board/records.js";
import type { WorkspaceState } from "../../../../contracts/board/workspace.js";

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
export interface HomeChannelRow {
  readonly platform: string;
  readonly chat_id: string;
  readonly thread_id: string;
  readonly name: string;
  readonly subscribed: boolean;
}

export type { Why, WorkspaceState };
