import { MSGG_LINE } from "../../../fixtures/platforms/faults/lines/msgg.js";
import { holdsUnderKills } from "../../../fixtures/platforms/faults/suite.js";

holdsUnderKills(MSGG_LINE);
