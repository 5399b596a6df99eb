import type { EpochMs } from "../../base/units.js";
import type { SourcedRule } from "../../safety/rules/rules.js";

/** When rules of files last decided something, as far as this process knows. */
export interface RuleUses {
  note(rule: SourcedRule, at: EpochMs): void;
  last(rule: SourcedRule): EpochMs | null;
}

const KEPT_AT_MOST = 4_096;

export function createRuleUses(): RuleUses {
  const uses = new Map<string, EpochMs>();
  const keyOf = (rule: SourcedRule) => `${rule.at?.file ?? rule.source}\0${rule.list}\0${JSON.stringify(rule.value)}`;
  return {
    note: (rule, at) => {
      if (uses.size >= KEPT_AT_MOST) uses.clear();
      uses.set(keyOf(rule), at);
    },
    last: (rule) => uses.get(keyOf(rule)) ?? null,
  };
}
