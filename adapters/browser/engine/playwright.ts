import type { BrowserType } from "playwright-core";
import { AppError } from "../../../lib/base/errors.js";

/** The one place that loads the driver of the browser: it is an optional package, and takes 0.3 s. @throws E_STATE where it is not installed */
export async function loadChromium(): Promise<BrowserType> {
  try {
    return (await import("playwright-core")).chromium;
  } catch (error) {
    const hint = "install it beside agent: npm install -g playwright-core";
    throw new AppError("E_STATE", "the package playwright-core is not installed", { hint }, error);
  }
}
