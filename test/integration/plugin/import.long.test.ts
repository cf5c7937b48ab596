// The same with a large estate.
import { estateOf } from '../support/estate.ts';

estateOf(200);
