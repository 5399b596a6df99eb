import * as z from "zod";
import type { Results } from "./define.js";

const bundle = {
  slug: z.string(),
  name: z.string(),
  description: z.string(),
  skills: z.array(z.string()),
  instruction: z.string(),
  file: z.string(),
};
const withMissing = z.object({ ...bundle, missing: z.array(z.string()).describe("names that no skill has") });
const problems = z.array(z.object({ path: z.string(), why: z.string() }));

/** Answers of the commands of bundles. */
export const BUNDLE_RESULTS: Results = {
  "bundles.create": z.object(bundle),
  "bundles.delete": z.object({ slug: z.string(), deleted: z.boolean() }),
  "bundles.list": z.object({ bundles: z.array(withMissing), problems }),
  "bundles.reload": z.object({ bundles: z.array(z.string()), problems }),
  "bundles.show": withMissing,
};
