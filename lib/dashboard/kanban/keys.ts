import { configKey } from "../../contracts/config/config.js";

const boolean = { type: "boolean" } as const;

/** How the board's page begins (board part, 20). */
export const KANBAN_PAGE = {
  defaultTenant: configKey({
    key: "dashboard.kanban.default_tenant",
    kind: { type: "string" },
    default: "",
    help: "Tenant that the board's page shows at first; empty shows all.",
  }),
  laneByProfile: configKey({
    key: "dashboard.kanban.lane_by_profile",
    kind: boolean,
    default: true,
    help: "The board's page parts running tasks by profile.",
  }),
  includeArchived: configKey({
    key: "dashboard.kanban.include_archived_by_default",
    kind: boolean,
    default: false,
    help: "The board's page shows archived tasks at first.",
  }),
  renderMarkdown: configKey({
    key: "dashboard.kanban.render_markdown",
    kind: boolean,
    default: true,
    help: "The board's page shows texts of tasks as Markdown.",
  }),
} as const;

export const KANBAN_PAGE_KEYS = Object.values(KANBAN_PAGE);
