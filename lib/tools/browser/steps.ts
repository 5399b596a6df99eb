import * as z from "zod";
import type { BrowserStep } from "../../contracts/browser/browser.js";

/** A ref as snapshots give it. */
export const REF = z.string().trim().min(1).max(40).describe("Ref such as e12.");
export const KEY = z.string().min(1).max(60).describe("Enter, Escape, Tab, ArrowDown, Control+a, a.");

const NO_REF = z.string().trim().min(1).max(40);

const STEP = z.strictObject({
  click: z.object({ ref: NO_REF }).optional(),
  type: z.object({ ref: NO_REF, text: z.string().max(100_000) }).optional(),
  press: z.object({ key: z.string().min(1).max(60) }).optional(),
  select: z.object({ ref: NO_REF, values: z.array(z.string().max(500)).min(1).max(50) }).optional(),
  scroll: z.object({ direction: z.enum(["up", "down"]) }).optional(),
  wait_for: z
    .object({
      text: z.string().min(1).max(500).optional(),
      gone: z.string().min(1).max(500).optional(),
      seconds: z.number().min(0).max(300).optional(),
    })
    .optional(),
  upload: z.object({ ref: NO_REF, files: z.array(z.string().min(1)).min(1).max(20) }).optional(),
  hover: z.object({ ref: NO_REF }).optional(),
  drag: z.object({ ref: NO_REF, to: NO_REF }).optional(),
});

/** Steps as a model writes them: an object with one key each. */
export const STEPS = z.array(STEP).min(1).max(20).describe("Each an object with one key, in order.");

export type GivenStep = z.output<typeof STEP>;

/** The step, or what is wrong with it. `number` counts from 1. */
export function stepOf(given: GivenStep, number: number): { readonly step: BrowserStep } | { readonly why: string } {
  const keys = Object.entries(given).filter(([, value]) => value !== undefined);
  if (keys.length !== 1) return { why: `step ${number} has ${keys.length} actions: give each step exactly one` };
  const { wait_for } = given;
  if (wait_for !== undefined && wait_for.text !== undefined && wait_for.gone !== undefined)
    return { why: `step ${number}: wait_for takes text or gone, not both` };
  return { step: given as BrowserStep }; // one key, checked by the schema
}
