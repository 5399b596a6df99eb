import { told } from "../triage/outlook.js";
import { TriageActions } from "../triage/triage-actions.js";
import { useOpenTask } from "./drawer-context.js";

/** What can become of a triage task, and when the model is asked by itself. */
export function TriagePart() {
  const { page } = useOpenTask();
  return <TriageActions task={page.task} told={told(page.reasons)} />;
}
