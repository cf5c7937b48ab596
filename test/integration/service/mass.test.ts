// Dozens of resources that come and go with one command.
import { masses } from '../support/mass.ts';

masses(24);
