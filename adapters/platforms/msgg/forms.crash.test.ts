import { MSGG_LINE } from "../../../fixtures/platforms/faults/lines/msgg.js";
import { holdsFormsUnderKills } from "../../../fixtures/platforms/faults/suite.js";

holdsFormsUnderKills(MSGG_LINE);
