/** Where the endpoints of the board plugin are mounted. */
export const KANBAN_BASE = "/api/plugins/kanban";
