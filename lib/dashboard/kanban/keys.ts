import { configKey } from "../../contracts/config/config.js";

const boolean = { type: "boolean" } as const;

/** How the board's page begins (board part, 20). */
export const KANBAN_PAGE = {
  defaultTenant: configKey({
    key: "dashboard.kanban.default_tenant",
    kind: { type: "string" },
    default: "",
    help: "Tenant shown first on the board page (empty = all).",
  }),
  laneByProfile: configKey({
    key: "dashboard.kanban.lane_by_profile",
    kind: boolean,
    default: true,
    help: "Group running tasks by profile on the board page.",
  }),
  includeArchived: configKey({
    key: "dashboard.kanban.include_archived_by_default",
    kind: boolean,
    default: false,
    help: "Show archived tasks first on the board page.",
  }),
  renderMarkdown: configKey({
    key: "dashboard.kanban.render_markdown",
    kind: boolean,
    default: true,
    help: "Render task texts as Markdown on the board page.",
  }),
} as const;

export const KANBAN_PAGE_KEYS = Object.values(KANBAN_PAGE);
