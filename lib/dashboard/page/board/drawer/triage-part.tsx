import { TriageActions } from "../triage/triage-actions.js";
import { useOpenTask } from "./drawer-context.js";

/** What can become of a triage task. When the model is asked by itself stands below, among the reasons. */
export function TriagePart() {
  const { page } = useOpenTask();
  return <TriageActions task={page.task} told={page.reasons.length > 0} />;
}
