// Hundreds of resources that come and go with one command.
import { masses } from './mass.ts';

masses(200);
