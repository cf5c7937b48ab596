// The quick start of the README with Helm.
import { quickStart } from './quickstart.ts';

quickStart('helm');
