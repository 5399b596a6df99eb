import type { Endpoint } from "../../../http/endpoint.js";
import type { KanbanParts } from "../../parts.js";
import { getBoard } from "./board.js";
import { changeTask, deleteTask } from "./change.js";
import { createTask } from "./create.js";
import { getContext, getLog, getTask, getWhy, getWorkspace } from "./read.js";

/** What is about tasks. */
export const TASK_ENDPOINTS: readonly Endpoint<KanbanParts>[] = [
  ...[getBoard, createTask, getTask, changeTask, deleteTask],
  ...[getWhy, getContext, getWorkspace, getLog],
];
