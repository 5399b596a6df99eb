import { configKey } from "../../contracts/config/config.js";

/** Settings of execute_code (core part, 25.3). */
export const CODE = {
  mode: configKey<"project" | "strict">({
    key: "code_execution.mode",
    kind: { type: "choice", of: ["project", "strict"] },
    default: "project",
    help: "Where execute_code runs: project (the directory of the session, with the Python of an active virtual environment) or strict (an empty directory).",
  }),
  timeout: configKey<number>({
    key: "code_execution.timeout",
    kind: { type: "integer", min: 1, max: 86_400 },
    default: 300,
    help: "Seconds after which the code of execute_code is ended.",
  }),
  calls: configKey<number>({
    key: "code_execution.max_tool_calls",
    kind: { type: "integer", min: 0, max: 10_000 },
    default: 50,
    help: "Tool calls that one execute_code may make.",
  }),
} as const;
