import * as z from "zod";
import type { RunFacts, RunInfo, RunList } from "../../board/runs.js";
import type { Completion, ScreenChange, SlashNext } from "../../chat/slash.js";
import type { ModelRow, ProviderSetUp } from "../../models/model-rows.js";
import type { DisplaySettings } from "../../ui/display.js";
import type { LogPage } from "../../ui/log-lines.js";
import type { PaletteItems, PaletteTask } from "../../ui/palette.js";
import { FILTERED_PANES, SIZED_PANES } from "../../ui/panes.gen.js";
import type { ScreenStart } from "../../ui/screen-start.js";
import { cageStateShape } from "./questions.js";
import { boardSlug, epochMs, runId, sessionId, taskId } from "./values.js";

/** Schema of `Completion`. */
export const completionShape = z
  .object({
    text: z.string(),
    label: z.string(),
    detail: z.string(),
    kind: z.enum([
      "value",
      "file",
      "task",
      "directory",
      "session",
      "command",
      "action",
      "option",
      "mention",
      "profile",
    ]),
    from: z.number().exactOptional(),
  })
  .meta({ id: "Completion" }) satisfies z.ZodType<Completion>;

/** Schema of `DisplaySettings`. */
export const displaySettingsShape = z
  .object({
    values: z.record(z.string(), z.unknown()),
    themes: z.array(
      z.union([
        z.object({
          name: z.string(),
          file: z.object({
            base: z.enum(["dark", "light", "high-contrast", "plain"]),
            tokens: z.object({
              error: z
                .union([
                  z.string(),
                  z.object({
                    fg: z.string().exactOptional(),
                    bg: z.string().exactOptional(),
                    bold: z.boolean().exactOptional(),
                  }),
                ])
                .exactOptional(),
              status: z
                .union([
                  z.string(),
                  z.object({
                    fg: z.string().exactOptional(),
                    bg: z.string().exactOptional(),
                    bold: z.boolean().exactOptional(),
                  }),
                ])
                .exactOptional(),
              user: z
                .union([
                  z.string(),
                  z.object({
                    fg: z.string().exactOptional(),
                    bg: z.string().exactOptional(),
                    bold: z.boolean().exactOptional(),
                  }),
                ])
                .exactOptional(),
              tool: z
                .union([
                  z.string(),
                  z.object({
                    fg: z.string().exactOptional(),
                    bg: z.string().exactOptional(),
                    bold: z.boolean().exactOptional(),
                  }),
                ])
                .exactOptional(),
              ok: z
                .union([
                  z.string(),
                  z.object({
                    fg: z.string().exactOptional(),
                    bg: z.string().exactOptional(),
                    bold: z.boolean().exactOptional(),
                  }),
                ])
                .exactOptional(),
              focus: z
                .union([
                  z.string(),
                  z.object({
                    fg: z.string().exactOptional(),
                    bg: z.string().exactOptional(),
                    bold: z.boolean().exactOptional(),
                  }),
                ])
                .exactOptional(),
              text: z
                .union([
                  z.string(),
                  z.object({
                    fg: z.string().exactOptional(),
                    bg: z.string().exactOptional(),
                    bold: z.boolean().exactOptional(),
                  }),
                ])
                .exactOptional(),
              dim: z
                .union([
                  z.string(),
                  z.object({
                    fg: z.string().exactOptional(),
                    bg: z.string().exactOptional(),
                    bold: z.boolean().exactOptional(),
                  }),
                ])
                .exactOptional(),
              accent: z
                .union([
                  z.string(),
                  z.object({
                    fg: z.string().exactOptional(),
                    bg: z.string().exactOptional(),
                    bold: z.boolean().exactOptional(),
                  }),
                ])
                .exactOptional(),
              border: z
                .union([
                  z.string(),
                  z.object({
                    fg: z.string().exactOptional(),
                    bg: z.string().exactOptional(),
                    bold: z.boolean().exactOptional(),
                  }),
                ])
                .exactOptional(),
              agent: z
                .union([
                  z.string(),
                  z.object({
                    fg: z.string().exactOptional(),
                    bg: z.string().exactOptional(),
                    bold: z.boolean().exactOptional(),
                  }),
                ])
                .exactOptional(),
              thinking: z
                .union([
                  z.string(),
                  z.object({
                    fg: z.string().exactOptional(),
                    bg: z.string().exactOptional(),
                    bold: z.boolean().exactOptional(),
                  }),
                ])
                .exactOptional(),
              warn: z
                .union([
                  z.string(),
                  z.object({
                    fg: z.string().exactOptional(),
                    bg: z.string().exactOptional(),
                    bold: z.boolean().exactOptional(),
                  }),
                ])
                .exactOptional(),
              diff_add: z
                .union([
                  z.string(),
                  z.object({
                    fg: z.string().exactOptional(),
                    bg: z.string().exactOptional(),
                    bold: z.boolean().exactOptional(),
                  }),
                ])
                .exactOptional(),
              diff_del: z
                .union([
                  z.string(),
                  z.object({
                    fg: z.string().exactOptional(),
                    bg: z.string().exactOptional(),
                    bold: z.boolean().exactOptional(),
                  }),
                ])
                .exactOptional(),
              code_keyword: z
                .union([
                  z.string(),
                  z.object({
                    fg: z.string().exactOptional(),
                    bg: z.string().exactOptional(),
                    bold: z.boolean().exactOptional(),
                  }),
                ])
                .exactOptional(),
              code_string: z
                .union([
                  z.string(),
                  z.object({
                    fg: z.string().exactOptional(),
                    bg: z.string().exactOptional(),
                    bold: z.boolean().exactOptional(),
                  }),
                ])
                .exactOptional(),
              code_number: z
                .union([
                  z.string(),
                  z.object({
                    fg: z.string().exactOptional(),
                    bg: z.string().exactOptional(),
                    bold: z.boolean().exactOptional(),
                  }),
                ])
                .exactOptional(),
              code_comment: z
                .union([
                  z.string(),
                  z.object({
                    fg: z.string().exactOptional(),
                    bg: z.string().exactOptional(),
                    bold: z.boolean().exactOptional(),
                  }),
                ])
                .exactOptional(),
              selection: z
                .union([
                  z.string(),
                  z.object({
                    fg: z.string().exactOptional(),
                    bg: z.string().exactOptional(),
                    bold: z.boolean().exactOptional(),
                  }),
                ])
                .exactOptional(),
              badge: z
                .union([
                  z.string(),
                  z.object({
                    fg: z.string().exactOptional(),
                    bg: z.string().exactOptional(),
                    bold: z.boolean().exactOptional(),
                  }),
                ])
                .exactOptional(),
            }),
          }),
        }),
        z.object({ name: z.string(), error: z.string() }),
      ]),
    ),
  })
  .meta({ id: "DisplaySettings" }) satisfies z.ZodType<DisplaySettings>;

/** Schema of `LogPage`. */
export const logPageShape = z
  .object({ lines: z.array(z.string()), before: z.string().nullable(), exists: z.boolean() })
  .meta({ id: "LogPage" }) satisfies z.ZodType<LogPage>;

/** Schema of `ModelRow`. */
export const modelRowShape = z
  .object({
    name: z.string(),
    provider: z.string(),
    model: z.string(),
    base_url: z.string(),
    window: z.number().nullable(),
    notes: z.array(z.string()),
    problem: z.string(),
    current: z.boolean(),
    label: z.string().exactOptional(),
    needs: z.enum(["key", "address", "nothing"]).exactOptional(),
  })
  .meta({ id: "ModelRow" }) satisfies z.ZodType<ModelRow>;

const paletteTaskShape = z
  .object({ board: z.string(), id: z.string(), title: z.string(), status: z.string(), assignee: z.string() })
  .meta({ id: "PaletteTask" }) satisfies z.ZodType<PaletteTask>;

/** Schema of `PaletteItems`. */
export const paletteItemsShape = z
  .object({
    sessions: z.array(z.object({ id: z.string(), title: z.string(), cwd: z.string() })),
    tasks: z.array(paletteTaskShape),
    files: z.array(z.string()),
    settings: z.array(z.object({ key: z.string(), value: z.string(), help: z.string() })),
    recent: z.array(z.string()),
  })
  .meta({ id: "PaletteItems" }) satisfies z.ZodType<PaletteItems>;

/** Schema of `RunInfo`. */
export const runInfoShape = z
  .object({
    id: z.string(),
    kind: z.enum(["task", "process", "child", "background", "cron", "turn"]),
    title: z.string(),
    profile: z.string(),
    state: z.string(),
    waits: z.boolean(),
    started_at: epochMs,
    ended_at: epochMs.nullable(),
    tokens: z.number().nullable(),
    activity: z.string(),
    session: sessionId.nullable(),
    task: z.object({ board: boardSlug, id: taskId, run: runId }).nullable(),
    process: z.string().nullable(),
  })
  .meta({ id: "RunInfo" }) satisfies z.ZodType<RunInfo>;

/** Schema of `RunList`. */
export const runListShape = z
  .object({ runs: z.array(runInfoShape), at: epochMs })
  .meta({ id: "RunList" }) satisfies z.ZodType<RunList>;

/** Schema of `RunFacts`. */
export const runFactsShape = z
  .object({ facts: z.array(z.tuple([z.string(), z.string()])) })
  .meta({ id: "RunFacts" }) satisfies z.ZodType<RunFacts>;

/** Schema of `ScreenStart`. */
export const screenStartShape = z
  .object({
    offer: z.object({ id: z.string(), title: z.string(), messages: z.number(), last_active_at: epochMs }).nullable(),
    serving: z.object({ how: z.enum(["configured", "found", "offline"]), provider: z.string(), model: z.string() }),
    cage: cageStateShape.exactOptional(),
  })
  .meta({ id: "ScreenStart" }) satisfies z.ZodType<ScreenStart>;

const screenChangeShape = z
  .object({
    theme: z.string().exactOptional(),
    mouse: z.boolean().exactOptional(),
    statusbar: z.enum(["on", "off", "toggle"]).exactOptional(),
    details: z.enum(["on", "off", "toggle"]).exactOptional(),
    settings: z.record(z.string(), z.union([z.boolean(), z.string()])).exactOptional(),
    pane: z.object({ name: z.enum(FILTERED_PANES), filter: z.string() }).exactOptional(),
    redraw: z.literal(true).exactOptional(),
    detach: z.literal(true).exactOptional(),
    layout: z.union([z.object({ pane: z.enum(SIZED_PANES), percent: z.number() }), z.literal("reset")]).exactOptional(),
  })
  .meta({ id: "ScreenChange" }) satisfies z.ZodType<ScreenChange>;

/** Schema of `SlashNext`. */
export const slashNextShape = z
  .object({
    open: sessionId.exactOptional(),
    compose: z.string().exactOptional(),
    copy: z.string().exactOptional(),
    quit: z.literal(true).exactOptional(),
    screen: screenChangeShape.exactOptional(),
    gone: z.literal(true).exactOptional(),
  })
  .meta({ id: "SlashNext" }) satisfies z.ZodType<SlashNext>;

/** Schema of `ProviderSetUp`. */
export const providerSetUpShape = z
  .object({ provider: z.string(), models: z.number(), default: z.string() })
  .meta({ id: "ProviderSetUp" }) satisfies z.ZodType<ProviderSetUp>;
