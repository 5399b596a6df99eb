import type { Comment, Task } from "../../../../contracts/board/board.js";
import type { DecomposeOutcome, SpecifyOutcome } from "../../../../contracts/board/orchestration.js";
import type { Attachment } from "../../../../contracts/board/records.js";
import type { Api } from "../../net/api.js";
import { downloadUrl } from "../../net/download.js";
import type { HomeChannelRow, TaskLog, TaskPage, WorkspaceState } from "./types.js";

/** Where the endpoints of the board are. */
const KANBAN = "api/plugins/kanban";

type Change = Readonly<Record<string, unknown>>;

/** Bytes of a log that the drawer shows. */
const LOG_BYTES = 100 << 10;

/** The calls about one task of one board. Each rejects with an ApiError that changed nothing. */
export interface TaskCalls {
  page(): Promise<TaskPage>;
  /** @param version The version that the task must still have. */
  change(fields: Change, version?: number): Promise<{ readonly task: Task; readonly warning?: string }>;
  remove(): Promise<unknown>;
  reassign(profile: string): Promise<unknown>;
  reclaim(reason: string): Promise<unknown>;
  comment(text: string): Promise<{ readonly comment: Comment }>;
  link(parent: string, child: string): Promise<unknown>;
  unlink(parent: string, child: string): Promise<unknown>;
  attach(file: File): Promise<{ readonly attachment: Attachment }>;
  detach(attachment: number): Promise<unknown>;
  /** An address that downloads an attachment once, within 30 seconds. */
  download(attachment: number): Promise<URL>;
  specify(): Promise<SpecifyOutcome>;
  decompose(): Promise<DecomposeOutcome>;
  log(): Promise<TaskLog>;
  workspace(): Promise<WorkspaceState>;
  diff(): Promise<{ readonly diff: string; readonly truncated: boolean }>;
  homeChannels(): Promise<{ readonly home_channels: readonly HomeChannelRow[] }>;
  subscribeHome(platform: string, on: boolean): Promise<unknown>;
}

/** Calls about the task `id` of `board`. */
export function taskCalls(api: Api, board: string | undefined, id: string): TaskCalls {
  const query = { board };
  const here = `${KANBAN}/tasks/${encodeURIComponent(id)}`;
  const post = <T>(path: string, body: unknown = {}): Promise<T> => api.send<T>("POST", `${here}/${path}`, body, query);
  return {
    page: () => api.get(here, query),
    change: async (fields, version) =>
      (
        await api.ask<{ task: Task; warning?: string }>("PATCH", here, {
          query,
          body: fields,
          ...(version !== undefined && { headers: { "If-Match": `"${version}"` } }),
        })
      ).json,
    remove: () => api.send("DELETE", here, undefined, query),
    reassign: (profile) => post("reassign", { profile, reclaim_first: true }),
    reclaim: (reason) => post("reclaim", { reason }),
    comment: (text) => post("comments", { text }),
    link: (parent_id, child_id) => api.send("POST", `${KANBAN}/links`, { parent_id, child_id }, query),
    unlink: (parent_id, child_id) =>
      api.send("DELETE", `${KANBAN}/links`, undefined, { ...query, parent_id, child_id }),
    attach: (file) => post("attachments", formOf(file)),
    detach: (attachment) => api.send("DELETE", `${KANBAN}/attachments/${attachment}`, undefined, query),
    download: (attachment) => downloadUrl(api, `${KANBAN}/attachments/${attachment}`, query),
    specify: () => post("specify"),
    decompose: () => post("decompose"),
    log: () => api.get(`${here}/log`, { ...query, tail: LOG_BYTES }),
    workspace: () => api.get(`${here}/workspace`, query),
    diff: () => api.get(`${here}/diff`, query),
    homeChannels: () => api.get(`${KANBAN}/home-channels`, { ...query, task_id: id }),
    subscribeHome: (platform, on) =>
      api.send(
        on ? "POST" : "DELETE",
        `${here}/home-subscribe/${encodeURIComponent(platform)}`,
        on ? {} : undefined,
        query,
      ),
  };
}

function formOf(file: File): FormData {
  const form = new FormData();
  form.append("file", file, file.name);
  return form;
}
