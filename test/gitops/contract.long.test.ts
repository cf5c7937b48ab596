// Each scene of the contract with every kind that it says something about, but the one that shows it in every run.
import { contract } from './contract.ts';

contract('the other kinds');
