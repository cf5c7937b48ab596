// The answers of strangers that are not for every run.
import { endsNothing, otherStrangers } from '../support/strangers.ts';

endsNothing(otherStrangers);
