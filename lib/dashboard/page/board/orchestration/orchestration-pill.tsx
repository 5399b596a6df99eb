/** Whether triage is worked by itself; stands in the header of the board. */
export function OrchestrationPill() {
  return null;
}
