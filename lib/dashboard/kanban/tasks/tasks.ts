import type { Endpoint } from "../../../http/endpoint.js";
import type { KanbanParts } from "../../core/parts.js";
import { addAttachment, downloadAttachment, getAttachments, removeAttachment } from "./attachments.js";
import { getBoard } from "./board.js";
import { changeTasks } from "./bulk.js";
import { changeTask, deleteTask } from "./change.js";
import { addComment } from "./comments.js";
import { createTask } from "./create.js";
import { getDiff } from "./diff.js";
import { addLink, dropLink } from "./links.js";
import { promoteTask, reassignTask, reclaimTask } from "./moves.js";
import { decomposeTask, specifyTask } from "./orchestrate.js";
import { getContext, getLog, getTask, getWhy, getWorkspace } from "./read.js";
import { getSubscriptions, subscribeChat, unsubscribeChat } from "./subscriptions.js";

/** What is about tasks. */
export const TASK_ENDPOINTS: readonly Endpoint<KanbanParts>[] = [
  getBoard,
  createTask,
  getTask,
  changeTask,
  deleteTask,
  changeTasks,
  getWhy,
  getContext,
  getWorkspace,
  getDiff,
  getLog,
  reclaimTask,
  reassignTask,
  promoteTask,
  specifyTask,
  decomposeTask,
  addComment,
  addLink,
  dropLink,
  getAttachments,
  addAttachment,
  downloadAttachment,
  removeAttachment,
  getSubscriptions,
  subscribeChat,
  unsubscribeChat,
];
