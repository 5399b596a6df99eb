import * as z from "zod";
import { AppError } from "../base/errors.js";
import { defineCommand } from "./define.js";

export default defineCommand({
  path: "gateway run",
  aliases: ["gateway"],
  summary: "Own this home and connect its messaging platforms, until Ctrl+C or agent gateway stop.",
  topic: "gateway",
  params: z.object({}),
  surfaces: ["cli"],
  access: "admin",
  follow: true,
  owns: true,
  run: () => Promise.reject(new AppError("E_STATE", "the gateway runs in a process of its own", { hint: "agent gateway run starts it" })),
});
