// What services do wrong to single requests: all misbehaviours that every run leaves out.
import { furtherEndpointRows } from './rows/endpoint.ts';
import { troubles } from './troubles.ts';

troubles(furtherEndpointRows, 'redirects are not followed');
