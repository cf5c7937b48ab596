// An upgrade from 0.1.0 by Helm, which takes over what kubectl has applied.
import { upgrades } from './upgrade.ts';

upgrades('Helm');
