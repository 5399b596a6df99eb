import * as z from "zod";
import { type DesktopElement, type DesktopWindow, DriverFailure } from "../contracts/desktop/driver.js";

const number = z.number().catch(0);
const text = z.string().catch("");

const window = z.object({
  pid: number,
  window_id: number,
  app: text,
  title: text,
  x: number,
  y: number,
  width: number,
  height: number,
  focused: z.boolean().catch(false),
});

const element = z.object({
  index: z.number(),
  role: text,
  label: text,
  x: number,
  y: number,
  width: number,
  height: number,
  app: z.string().optional().catch(undefined),
});

const windows = z.object({ windows: z.array(window) });

const state = z.object({
  width: number,
  height: number,
  snapshot_id: z.union([z.string(), z.number()]).optional().catch(undefined),
  elements: z.array(element).catch([]),
});

type Value = Readonly<Record<string, unknown>>;

/** @throws DriverFailure when the driver does not keep to its protocol */
export function readWindows(value: Value): readonly DesktopWindow[] {
  const parsed = windows.safeParse(value);
  if (!parsed.success) throw new DriverFailure("answered", "the driver listed no windows: its answer has no windows[]");
  return parsed.data.windows;
}

/** What a driver says of one picture. */
export interface DriverState {
  readonly width: number;
  readonly height: number;
  readonly snapshot?: string | number | undefined;
  readonly elements: readonly DesktopElement[];
}

/** @throws DriverFailure */
export function readState(value: Value): DriverState {
  const parsed = state.safeParse(value);
  if (!parsed.success) throw new DriverFailure("answered", "the driver's answer describes no window");
  const { snapshot_id: snapshot, ...rest } = parsed.data;
  return { ...rest, ...(snapshot === undefined ? {} : { snapshot }) };
}
