// Worlds with clusters that go, and that stay without what they stood for; with a maximum age, several replicas, and runs that come early, in time and too late.
import { keepLaws } from './worlds.ts';

keepLaws([3, 6, 7, 11, 14, 16, 21, 23]);
