// The worlds of the first seeds.
import { keepLaws } from './worlds.ts';

keepLaws(Array.from({ length: 24 }, (_, seed) => seed));
