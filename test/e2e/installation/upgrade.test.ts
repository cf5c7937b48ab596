// An upgrade from 0.1.0 by kubectl. That by Helm: upgrade.long.test.ts.
import { upgrades } from './upgrade.ts';

upgrades('kubectl');
