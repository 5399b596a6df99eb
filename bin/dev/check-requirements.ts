import type { Check } from "./check-type.js";

export const checkRequirements: Check = { name: "requirements", run: () => ({ findings: [] }) };
