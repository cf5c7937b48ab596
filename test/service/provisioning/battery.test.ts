// The battery of provisioners and engines, over those that pretend.
import { describe } from 'vitest';
import { createSimulatedEngine } from '../../../src/service/backends/job-engine.ts';
import { createSimulatedProvisioner } from '../../../src/service/backends/simulated-provisioner.ts';
import { createSeededRandom } from '../../../src/service/model/records/identifiers.ts';
import { engineBattery, provisionerBattery } from './battery.ts';
import { MachineRoom } from './machine-room.ts';
import { RunRoom } from './run-room.ts';

describe('the simulated provisioner', () => {
  provisionerBattery(() => ({ provisioner: () => createSimulatedProvisioner(createSeededRandom(1)) }), {
    canLose: false,
  });
});

describe('the machine room of the tests', () => {
  provisionerBattery(() => {
    const room = new MachineRoom();
    return { provisioner: () => room.provisioner(), lose: ({ id }, machine) => void room.lose('t', id, [machine]) };
  });
});

describe('the simulated engine', () => {
  engineBattery(() => ({ engine: () => createSimulatedEngine(createSeededRandom(1)) }));
});

describe('the engine of the tests', () => {
  engineBattery(() => {
    const room = new RunRoom();
    return {
      engine: () => room.engine(),
      starts: (id) => room.starts.get(id) ?? 0,
      isRunning: (id) => room.running.includes(id),
      finish: (id) => room.finish(id),
    };
  });
});
