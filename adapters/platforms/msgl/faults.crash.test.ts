import { MSGL_LINE } from "../../../fixtures/platforms/faults/lines/msgl.js";
import { holdsUnderKills } from "../../../fixtures/platforms/faults/suite.js";

holdsUnderKills(MSGL_LINE);
