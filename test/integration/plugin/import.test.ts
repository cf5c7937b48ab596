// The documented way to manage an estate that exists: import, observe, manage. Nothing of it may change in the service.
import { estateOf } from '../support/estate.ts';

estateOf(40);
