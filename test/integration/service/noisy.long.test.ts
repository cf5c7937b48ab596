// The noises that are not for every run.
import { besideNoises, otherNoises } from '../support/noise.ts';

besideNoises(otherNoises);
